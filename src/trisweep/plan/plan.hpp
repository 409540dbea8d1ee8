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
// Segments are local segments of the rank's LocalBlocks, and behind them those that a phase has of its own;
// ranks are those of the mapping.

#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/plan/indices.hpp"
#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

// Rows [row_begin, row_end) of a piece, multiplied at once. All that a product needs to know is here, in the
// order in which products are made: looked up in several tables of the share it would cost a small panel a
// miss of the cache.
struct RowBlock {
  Offset value;     // of the piece, in the rank's storage of its side
  Offset position;  // of the work row of the first row, in the sweep's list of positions
  Index piece;
  Index height;  // of the piece
  Index width;
  Index row_begin;
  Index row_end;
  WorkRow at;  // first one of the panel side: what a scatter reads and a gather adds to
  bool operator==(const RowBlock&) const = default;
};

struct RowRange {
  Index begin;
  Index end;
};
// Of a piece of one side of the share.
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

// Row blocks applied one after another, once `waits` of the segments they read have become available. Most
// tasks are one piece. Of a subtree that lives on this rank alone most is one task, with nothing to count
// inside. Of the tasks that are set free by the same event the first in the plan runs first, unless the sweep
// is ordered.
struct Task {
  Index row_block_begin;  // into SweepPhase::row block
  Index row_block_end;
  bool diagonal = false;  // row blocks are inverted diagonal blocks, pieces of that side, to be applied in
                          // place: in scatter sweeps alone
  Index feed_begin = 0;   // into SweepPhase::feed
  Index feed_end = 0;
  Index waits = 0;
  WorkRow cell_begin{};  // rows that start at zero with the task: its part of cells, see below
  WorkRow cell_end{};
  bool operator==(const Task&) const = default;
};

enum class MessageKind { broadcast, reduction, exchange, vectors };
inline constexpr std::array<MessageKind, 4> message_kinds{MessageKind::broadcast, MessageKind::reduction,
                                                          MessageKind::exchange, MessageKind::vectors};
// Those within and between layers, which are what the papers count. The others bring b in and x out, and
// depend on where the caller has them.
inline constexpr std::array<MessageKind, 3> sweep_kinds{MessageKind::broadcast, MessageKind::reduction,
                                                        MessageKind::exchange};
std::string_view name_of(MessageKind kind);
// Of a kind in lists by kind.
constexpr std::size_t index_of(MessageKind kind) {
  return static_cast<std::size_t>(kind);
}

// The messages of a phase are numbered, those that come and those that go each by their place in a list. Both
// ends list what goes from one rank to another in the same order, which is all that they must agree upon.

// A message of a sweep that this rank gets: the final segment from its parent in the broadcast tree, or a
// partial sum from a child in the reduction tree.
struct Incoming {
  SegmentId segment;
  RankId from;
  MessageKind kind;
  WorkRow cell = no_row;  // at which a partial sum is kept; none: it is added when it comes
  bool operator==(const Incoming&) const = default;
};

// And one that it sends: the final segment to a child, or its partial sum to the parent.
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
// Contributions are added as they come, unless the sweep is *ordered*: then each has a *cell*, as wide as the
// segment, behind the slots of the work vector, and the last one to come adds all cells in the order of the
// plan. Tasks that write to different rows, those of one piece that is scattered, share a cell. So the sum
// depends neither on the order of events nor on the number of threads, and threads need no lock: no two write
// to the same place. Where there are many cells, a group's sum is a segment of its own, and one contribution
// to the segment that is `next`.
//
// A segment that is passed on *in turn* has its turn as one contribution more: the segment that this rank
// passes on before it makes that when it is. So a rank takes part in collectives in the plan's order only, as
// it does in blocking ones.
struct Segment {
  WorkRow row{};  // its first
  Index width = 0;
  Index supernode = 0;
  Index pending = 0;
  Index parent = -1;           // into SweepPhase::outgoing; -1 on the owner and where this rank adds nothing
  WorkRow sent_from = no_row;  // of the partial sum, when the final segment comes to `row`
  Index child_begin = 0;       // into SweepPhase::outgoing
  Index child_end = 0;
  Index consumer_begin = 0;  // into SweepPhase::consumer
  Index consumer_end = 0;
  Index cell_begin = 0;  // into SweepPhase::cell
  Index cell_end = 0;
  SegmentId next = no_segment;  // has one contribution more when this one has been passed on
  bool counts_final = false;    // the final segment, when it comes, is a contribution like others
  bool operator==(const Segment&) const = default;
};

// Of a product: the negative of a target (all products subtract) becomes the segment.
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
  std::vector<Index> position;      // work rows of the row blocks' rows; empty: the share's piece_positions()
  std::vector<SegmentId> feed;      // what a task contributes to, by task, in order of priority
  // One per local segment of the share; in a product two: sources, targets. Behind them those that this rank
  // only helps to pass on, and those without rows, which only count.
  IndexedVector<SegmentId, Segment> segment;
  std::vector<Index> consumer;      // tasks, by segment
  std::vector<WorkRow> cell;        // the first of each cell to be added, by segment, in order
  std::vector<SegmentId> complete;  // to which nothing has to be added
  std::vector<SegmentId> counted;   // to which something has: not the interior ones of a rank's own subtrees
  std::vector<SegmentId> cleared;   // whose slots start at zero: partial sums of others' segments
  std::vector<Incoming> incoming;   // by supernode, then kind, then sender
  std::vector<Outgoing> outgoing;   // by supernode, then kind, then place in the tree
  std::vector<Replacement> replaced;  // when all is done
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
  Index number = 0;  // of the phase's messages that are sent, or of those that come
  bool operator==(const ExchangeStep&) const = default;
};

struct ExchangePhase {
  std::vector<ExchangeStep> step;  // in order; a receive must finish before the next step starts
  bool operator==(const ExchangePhase&) const = default;
};

struct DiagonalPhase {
  Op op = Op::none;                 // of the inverted diagonal blocks
  std::vector<RowBlock> row_block;  // whole pieces of the share's diagonal side: blocks of their own
  bool operator==(const DiagonalPhase&) const = default;
};

enum class VectorWay { in, out };

// What this rank and another have of each other's rows, in one message: at the caller's end the rows of b or
// x, counted from the first that the rank has; at home work rows. Both ends list them in the order of the
// structure.
struct VectorMessage {
  RankId rank;  // at the other end
  std::vector<Index> row;
  bool operator==(const VectorMessage&) const = default;
};

// Each row of b goes from the rank where the caller has it to the owner of its segment at home, or each row
// of x back.
struct VectorPhase {
  VectorWay way = VectorWay::in;
  // Rows that stay on this rank: the caller's, ascending, and the work row of each.
  std::vector<Index> caller;
  std::vector<WorkRow> work;
  std::vector<VectorMessage> sent;      // by number, one for a rank: the caller's rows in, work rows out
  std::vector<VectorMessage> received;  // by number, one of a rank: work rows in, the caller's rows out

  bool operator==(const VectorPhase&) const = default;
};

using Phase = std::variant<SweepPhase, ExchangePhase, DiagonalPhase, VectorPhase>;

// What a phase is to the whole solve: where its time belongs.
enum class Part { forward, backward, exchange, diagonal, vectors };
Part part_of(const SweepPhase& phase);
Part part_of(const Phase& phase);

struct Plan {
  std::vector<Phase> phase;
  Op op = Op::none;  // solves op(A) x = b
  bool operator==(const Plan&) const = default;
};
// That any of its phases needs behind the slots: phases take turns at them.
Index extra_rows(const Plan& plan);

}  // namespace trisweep::plan
