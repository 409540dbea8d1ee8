#pragma once
// A plan: everything one rank does in a solve, as plain immutable data. Algorithms differ only in the plan;
// one executor per kind of hardware runs it, and the model prices it. A plan is a list of phases, run in
// order, each a self-contained piece of dataflow or communication:
//
//   SweepPhase     apply every local piece of one side once, message-driven
//   ExchangePhase  add up or copy segments between layers, pairwise
//   DiagonalPhase  multiply owned segments by their inverted diagonal blocks
//
// Segments are local segments of the rank's Share; ranks are those of the mapping.

#include <variant>
#include <vector>

#include "trisweep/distribution/share.hpp"
#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

// A run of pieces applied one after another, once `waits` of its source segments have become available. Most
// tasks are one piece. A subtree that lives on this rank alone is one task, with nothing to count inside.
struct Task {
  Index piece_begin;  // into SweepPhase::piece
  Index piece_end;
  Index feed_begin;  // into SweepPhase::feed
  Index feed_end;
  Index waits;
};

// What happens to one local segment in a sweep. It is *complete* on this rank when `pending` contributions
// (local tasks, and partial sums from its children in the reduction tree) have been added. A complete segment
// on its owner is final, hence available; elsewhere the partial sum goes to `parent`. An available segment is
// sent to the children in its broadcast tree and releases the tasks that read it.
struct Segment {
  Index pending = 0;
  Index parent = -1;      // in the reduction tree; -1 on the owner and where this rank adds nothing
  Index child_begin = 0;  // into SweepPhase::child
  Index child_end = 0;
  Index consumer_begin = 0;  // into SweepPhase::consumer
  Index consumer_end = 0;
};

struct MessageCounts {
  Index broadcast = 0;
  Index reduction = 0;
};

// Vector rows in messages, of one right-hand side.
struct RowCounts {
  Offset broadcast = 0;
  Offset reduction = 0;
  Offset total() const { return broadcast + reduction; }
};

struct SweepPhase {
  distribution::Side side = distribution::Side::lower;
  Direction direction = Direction::scatter;
  bool conjugate = false;        // apply conj(P)
  std::vector<Task> task;        // in order of priority: the order of elimination, or its reverse
  std::vector<Index> piece;      // pieces of the side's share, by task
  std::vector<Index> feed;       // segments a task contributes to, by task, in order of priority
  std::vector<Segment> segment;  // one per local segment of the share
  std::vector<Index> child;      // ranks, by segment
  std::vector<Index> consumer;   // tasks, by segment
  std::vector<Index> ready;      // segments that are available at the start
  std::vector<Index> cleared;    // segments whose slots start at zero: partial sums of others' segments
  MessageCounts sends;
  MessageCounts receives;
  RowCounts rows_sent;
  RowCounts rows_received;
};

enum class Transfer { send, receive_add, receive_copy };

// One message between layers: the listed segments, packed in order.
struct ExchangeStep {
  Transfer transfer;
  Index rank;
  std::vector<Index> segment;
  Offset rows = 0;
};

struct ExchangePhase {
  std::vector<ExchangeStep> step;  // in order; a receive must finish before the next step starts
};

struct DiagonalPhase {
  Op op = Op::none;            // of the inverted diagonal blocks
  std::vector<Index> segment;  // owned segments
};

using Phase = std::variant<SweepPhase, ExchangePhase, DiagonalPhase>;

struct Plan {
  std::vector<Phase> phase;
};

}  // namespace trisweep::plan
