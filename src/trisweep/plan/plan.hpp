#pragma once
// A plan: everything one rank does in a solve, as plain immutable data. Algorithms differ only in the plan;
// one executor per kind of hardware runs it, and the model prices it. A plan is a list of phases, run in
// order, each a self-contained piece of dataflow or communication:
//
//   VectorPhase    bring b in from the caller's rows, or x out to them
//   SweepPhase     apply every local piece of one side once, message-driven
//   ExchangePhase  add up or copy segments between layers, pairwise
//   DiagonalPhase  multiply owned segments by their own inverted diagonal blocks
//
// A sweep over the diagonal side is the *product* with the blocks that tiles of a group share: its segments
// are listed twice, as sources and as targets, which have rows of their own.
//
// A sweep's segments are those of the rank's LocalBlocks that an event is about, followed by those that the
// phase adds; an exchange's segments are numbered as in LocalBlocks. Ranks are those of the mapping.

#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/plan/indices.hpp"
#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

// Rows [row_begin, row_end) of a piece, multiplied at once. All that a product needs to know is here, in the
// order of the products: looking it up in several tables of LocalBlocks would cost a small panel a cache
// miss.
struct RowBlock {
  Offset value;     // start of the piece in the rank's storage of its side
  Offset position;  // index of the first row's work row in the sweep's list of positions
  Index piece;
  Index height;  // of the piece
  Index width;
  Index row_begin;
  Index row_end;
  WorkRow at;  // first work row of the panel side, which a scatter reads and a gather adds to
  bool operator==(const RowBlock&) const = default;
};

struct RowRange {
  Index begin;
  Index end;
};
// The row block that consists of `rows` of a piece of `side`.
inline RowBlock row_block_of(const distribution::LocalBlocks& local_blocks,
                             const distribution::LocalSide& side, Index piece, RowRange rows) {
  const Index s = side.segment[usize(piece)];
  return {.value = side.value_ptr[usize(piece)],
          .position = side.row_ptr[usize(piece)] + rows.begin,
          .piece = piece,
          .height = side.height(piece),
          .width = local_blocks.width(s),
          .row_begin = rows.begin,
          .row_end = rows.end,
          .at = WorkRow(local_blocks.slot[usize(s)])};
}

// Row blocks that are applied one after another, once the `waits` segments that they read have become
// available. Most tasks are one piece. Most of a subtree that is on this rank alone is one task, without
// counters inside. Of the tasks that the same event releases, the first in the plan runs first, unless the
// sweep is ordered.
struct Task {
  Index row_block_begin;  // into SweepPhase::row_block
  Index row_block_end;
  bool diagonal = false;  // row blocks are inverted diagonal blocks, pieces of the diagonal side, applied in
                          // place; in scatter sweeps only
  Index feed_begin = 0;   // into SweepPhase::feed
  Index feed_end = 0;
  Index waits = 0;
  WorkRow cell_begin{};  // rows that the task sets to zero at its start: its part of cells, see Segment
  WorkRow cell_end{};
  bool operator==(const Task&) const = default;
};

enum class MessageKind { broadcast, reduction, exchange, vectors };
inline constexpr std::array<MessageKind, 4> message_kinds{MessageKind::broadcast, MessageKind::reduction,
                                                          MessageKind::exchange, MessageKind::vectors};
// Messages within and between layers, which are those that the papers count. The others bring b in and x out,
// and depend on where the caller has these vectors.
inline constexpr std::array<MessageKind, 3> sweep_kinds{MessageKind::broadcast, MessageKind::reduction,
                                                        MessageKind::exchange};
std::string_view name_of(MessageKind kind);
// Position of a kind in lists by kind.
constexpr std::size_t index_of(MessageKind kind) {
  return static_cast<std::size_t>(kind);
}

// Incoming and outgoing messages of a phase are numbered separately, by their position in a list. Sender and
// receiver list the messages between them in the same order; they need not agree on anything else.

// A message of a sweep that this rank receives: the final segment from its parent in the broadcast tree, or a
// partial sum from a child in the reduction tree.
struct Incoming {
  SegmentId segment;
  RankId from;
  MessageKind kind;
  WorkRow cell = no_row;  // where a partial sum is kept; none: it is added when it arrives
  bool operator==(const Incoming&) const = default;
};

// A message of a sweep that this rank sends: the final segment to a child, or its partial sum to the parent.
struct Outgoing {
  SegmentId segment;
  RankId to;
  MessageKind kind;
  bool operator==(const Outgoing&) const = default;
};

// What happens to one local segment in a sweep. It is *complete* on this rank when `pending` contributions
// (local tasks, and partial sums from its children in the reduction tree) have been added. A complete segment
// on its owner is final, hence available; elsewhere the partial sum goes to `parent`. An available segment is
// sent to the children in its broadcast tree and releases the tasks that read it.
//
// Contributions are added as they arrive, unless the sweep is *ordered*: then each has a *cell*, as wide as
// the segment, behind the slots of the work vector, and after the last one all cells are added in the order
// of the plan. Tasks that write to different rows (those of one scattered piece) share a cell. So the sum
// depends neither on the order of events nor on the number of threads, and threads need no lock: no two write
// to the same place. If there are many cells, they form groups: the sum of a group is a segment of its own,
// and one contribution to its segment `next`.
//
// A segment that is passed on *in turn* waits for one more contribution, its turn: it comes when the segment
// before it in the plan's order has been passed on. So a rank takes part in collectives in the plan's order
// only, as it does in blocking ones.
struct Segment {
  WorkRow row{};  // its first work row
  Index width = 0;
  Index supernode = 0;
  Index pending = 0;
  Index parent = -1;           // into SweepPhase::outgoing; -1 on the owner and where this rank adds nothing
  WorkRow sent_from = no_row;  // first row of the partial sum, if the final segment arrives at `row`
  Index child_begin = 0;       // into SweepPhase::outgoing
  Index child_end = 0;
  Index consumer_begin = 0;  // into SweepPhase::consumer
  Index consumer_end = 0;
  Index cell_begin = 0;  // into SweepPhase::cell
  Index cell_end = 0;
  SegmentId next = no_segment;  // gets a contribution when this segment has been passed on
  bool counts_final = false;    // the arrival of the final segment is a contribution
  bool operator==(const Segment&) const = default;
};

// In a product: the segment is replaced by the negative of its target, since all products subtract.
struct Replacement {
  WorkRow slot;
  WorkRow target;
  Index rows;
  bool operator==(const Replacement&) const = default;
};

struct SweepPhase {
  distribution::Side side = distribution::Side::lower;
  Direction direction = Direction::scatter;
  bool conjugate = false;           // apply conj(P)
  Op diagonal_op = Op::none;        // of the inverted diagonal blocks
  std::vector<Task> task;           // in order of priority: the order of elimination, or its reverse
  std::vector<RowBlock> row_block;  // by task
  std::vector<Index> position;      // work rows of the row blocks' rows; empty: piece_positions()
  std::vector<SegmentId> feed;      // segments that a task contributes to, by task, in order of priority
  // Local segments that a task, a message or a counter refers to; in a product first sources, then targets.
  // They are followed by segments that this rank only passes on, and by those without rows, which only count.
  IndexedVector<SegmentId, Segment> segment;
  std::vector<Index> consumer;      // tasks that read a segment, by segment
  std::vector<WorkRow> cell;        // first row of each cell to be added, by segment, in order
  std::vector<SegmentId> complete;  // to which nothing is added
  std::vector<SegmentId> counted;   // to which something is added, except those inside a rank's own subtrees
  std::vector<SegmentId> cleared;   // whose slots start at zero: partial sums of others' segments
  std::vector<Incoming> incoming;   // by supernode, then kind, then sender
  std::vector<Outgoing> outgoing;   // by supernode, then kind, then place in the tree
  std::vector<Replacement> replaced;  // at the end of the phase
  Index extra_rows = 0;  // work rows behind the slots: cells, and the rows of a product's targets

  bool operator==(const SweepPhase&) const = default;
};

enum class Transfer { send, receive_add, receive_copy };

// One message between layers: the listed segments, packed in order.
struct ExchangeStep {
  Transfer transfer;
  RankId rank;
  std::vector<SegmentId> segment;
  Offset rows = 0;
  Index number = 0;  // among the phase's sent, or its received, messages
  bool operator==(const ExchangeStep&) const = default;
};

struct ExchangePhase {
  std::vector<ExchangeStep> step;  // in order; a receive must finish before the next step starts
  bool operator==(const ExchangePhase&) const = default;
};

struct DiagonalPhase {
  Op op = Op::none;                 // of the inverted diagonal blocks
  std::vector<RowBlock> row_block;  // whole pieces of the diagonal side that are not tiles
  bool operator==(const DiagonalPhase&) const = default;
};

enum class VectorWay { in, out };

// The rows that two ranks exchange in one message: at the caller's end rows of b or x, counted from the
// rank's first; at home work rows. Both ends list them in the order of the structure.
struct VectorMessage {
  RankId rank;  // the other end
  std::vector<Index> row;
  bool operator==(const VectorMessage&) const = default;
};

// Sends each row of b from the rank where the caller has it to the owner of its segment in the home layer, or
// each row of x back.
struct VectorPhase {
  VectorWay way = VectorWay::in;
  // Rows that stay on this rank: the caller's, ascending, and the work row of each.
  std::vector<Index> caller;
  std::vector<WorkRow> work;
  std::vector<VectorMessage> sent;      // by number, one per rank: the caller's rows (in), work rows (out)
  std::vector<VectorMessage> received;  // by number, one per rank: work rows (in), the caller's rows (out)

  bool operator==(const VectorPhase&) const = default;
};

using Phase = std::variant<SweepPhase, ExchangePhase, DiagonalPhase, VectorPhase>;

// The part of a solve to which the time of a phase belongs.
enum class Part { forward, backward, exchange, diagonal, vectors };
Part part_of(const SweepPhase& phase);
Part part_of(const Phase& phase);

struct Plan {
  std::vector<Phase> phase;
  Op op = Op::none;  // solves op(A) x = b
  bool operator==(const Plan&) const = default;
};
// Most work rows that a phase needs behind the slots; all phases use the same ones.
Index extra_rows(const Plan& plan);

}  // namespace trisweep::plan
