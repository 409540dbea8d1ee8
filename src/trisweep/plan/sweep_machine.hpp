#pragma once
// What the events of a sweep cause, for all that run a plan: the engine, the model, the tests.
//
//   a message comes         a partial sum is a contribution to its segment; a final segment is available
//   a task ends             it has contributed to the segments that it feeds
//   all have contributed    the segment is complete: its partial sum goes to the parent, or, where there is
//                           none, it is available; then its segment `next` has a contribution
//   a segment is available  it goes to its children; tasks that have waited for nothing else are ready

#include <atomic>
#include <concepts>

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

inline void set(Index& count, Index value) {
  count = value;
}
template <template <class> class Atomic>
void set(Atomic<Index>& count, Index value) {
  count.store(value, std::memory_order_relaxed);
}

// Returns true if that was the last one. The thread that counts last sees what all others did before.
inline bool count_down(Index& count) {
  return --count == 0;
}
template <template <class> class Atomic>
bool count_down(Atomic<Index>& count) {
  return count.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// Counters of what is still missing in a running sweep. `Count`: Index, or std::atomic<Index> where threads
// share it.
template <class Count>
struct SweepCounters {
  IndexedVector<SegmentId, Count> pending;
  std::vector<Count> waits;  // by task

  // Makes room for a phase.
  void reserve(const SweepPhase& phase) {
    if (pending.size() < phase.segment.size()) pending = decltype(pending)(phase.segment.size());
    if (waits.size() < phase.task.size()) waits = std::vector<Count>(phase.task.size());
  }
};

// Carries out what the machine decides. With several threads, the thread that counted last calls it.
template <class Handler>
concept SweepHandler = requires(Handler handler, SegmentId segment, Index i) {
  { handler.sum_up(segment) } -> std::same_as<void>;  // it is complete: its cells are to be added
  { handler.send(i) } -> std::same_as<void>;          // outgoing message i
  { handler.ready(i) } -> std::same_as<void>;         // task i can run
};

// Costs almost nothing to construct, for each event: the state is in the counters.
template <class Count, SweepHandler Handler>
class SweepMachine {
 public:
  // The counters must have room for the phase.
  SweepMachine(const SweepPhase& phase, SweepCounters<Count>& counters, Handler handler)
      : phase_(phase), counters_(counters), handler_(handler) {}

  void start() {
    reset();
    for (const SegmentId s : phase_.complete) complete(s);
  }
  // In place of start(): call reset() before any other event, and complete() later for each segment in
  // phase.complete.
  void reset() {
    for (const SegmentId s : phase_.counted) set(counters_.pending[s], phase_.segment[s].pending);
    for (std::size_t t = 0; t < phase_.task.size(); ++t) set(counters_.waits[t], phase_.task[t].waits);
    for (std::size_t t = 0; t < phase_.task.size(); ++t)
      if (phase_.task[t].waits == 0) handler_.ready(static_cast<Index>(t));
  }

  void complete(SegmentId s) {
    const Segment& segment = phase_.segment[s];
    handler_.sum_up(s);
    if (segment.parent >= 0) {
      handler_.send(segment.parent);
    } else {
      make_available(s);
    }
    if (segment.next != no_segment) contribute(segment.next);
  }

  // Incoming message `number` has arrived, and its values are in place.
  void message_came(Index number) {
    const Incoming& message = phase_.incoming[usize(number)];
    const bool is_final = message.kind == MessageKind::broadcast;
    if (is_final && !phase_.segment[message.segment].counts_final) {
      make_available(message.segment);
    } else {
      contribute(message.segment);
    }
  }

  void task_ended(Index t) {
    const Task& task = phase_.task[usize(t)];
    for (Index f = task.feed_begin; f < task.feed_end; ++f) contribute(phase_.feed[usize(f)]);
  }

 private:
  void contribute(SegmentId s) {
    if (count_down(counters_.pending[s])) complete(s);
  }

  void make_available(SegmentId s) {
    const Segment& segment = phase_.segment[s];
    for (Index number = segment.child_begin; number < segment.child_end; ++number) handler_.send(number);
    for (Index c = segment.consumer_begin; c < segment.consumer_end; ++c) {
      const Index t = phase_.consumer[usize(c)];
      if (count_down(counters_.waits[usize(t)])) handler_.ready(t);
    }
  }

  const SweepPhase& phase_;
  SweepCounters<Count>& counters_;
  Handler handler_;
};

}  // namespace trisweep::plan
