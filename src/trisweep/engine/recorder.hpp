#pragma once
// Trace of one rank's work in one solve. Nothing is recorded, and no clock is read, unless a recorder is
// given.

#include <algorithm>
#include <chrono>
#include <vector>

#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

// The kind of an event in a trace.
enum class TraceKind { l_sweep, u_sweep, exchange, diagonal, vectors, products, idle, gather, send, receive };
inline constexpr int trace_kinds = 10;  // the number of kinds

// One event of a rank, with its begin and end.
struct TraceEvent {
  TraceKind kind;             // what it is
  Index thread;               // of the rank
  Index subject;              // supernode of a message, or of the first panel of a task's products; or -1
  Index peer;                 // rank of a message; or -1
  plan::MessageKind message;  // kind of a message
  Offset bytes;               // of a message
  double begin;               // seconds since the recorder's start
  double end;                 // the same, in seconds
};

// Collects the events of one rank; TriangularSolver::record_in() and Solver::record_in() take one.
class Recorder {
 public:
  using Clock = std::chrono::steady_clock;  // what events are timed with
  // With room for the events of `threads` threads; starts. Throws only std::bad_alloc.
  explicit Recorder(int threads) : events_(usize(threads)) { start(); }
  virtual ~Recorder() = default;

  // Discards all events; times count from now.
  void start() noexcept {
    for (auto& list : events_) list.clear();
    start_ = Clock::now();
  }
  // Seconds since start().
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // Adds an event; called by one thread at a time for each value of event.thread. Throws only std::bad_alloc.
  virtual void record(const TraceEvent& event) { events_[usize(event.thread)].push_back(event); }

  // Number of threads that it has room for.
  int threads() const { return static_cast<int>(events_.size()); }
  // All events in order of time.
  std::vector<TraceEvent> all() const {
    std::vector<TraceEvent> list;
    for (const auto& events : events_) list.insert(list.end(), events.begin(), events.end());
    std::sort(list.begin(), list.end(),
              [](const TraceEvent& a, const TraceEvent& b) { return a.begin < b.begin; });
    return list;
  }
  // Seconds of all events of that kind that ended after `since` (seconds since start()), over all threads.
  double total(TraceKind kind, double since = 0) const noexcept {
    double sum = 0;
    for (const auto& list : events_) {
      for (auto e = list.rbegin(); e != list.rend() && e->end >= since; ++e)
        if (e->kind == kind) sum += e->end - e->begin;
    }
    return sum;
  }

 private:
  Clock::time_point start_;
  std::vector<std::vector<TraceEvent>> events_;  // by thread, in order of their ends
};

// Records one event, from construction to destruction; does nothing if `recorder` is null.
class Span {
 public:
  // Event other than a message: what `thread` does, with `subject` as in TraceEvent, for `recorder` or null.
  Span(Recorder* recorder, TraceKind kind, Index thread, Index subject = -1)
      : Span(recorder, {kind, thread, subject, -1, {}, 0, 0, 0}) {}
  // Event of a message, for `recorder` or null.
  Span(Recorder* recorder, const TraceEvent& event) noexcept : recorder_(recorder), event_(event) {
    if (recorder_ != nullptr) event_.begin = recorder_->now();
  }
  ~Span() {
    if (recorder_ == nullptr) return;
    event_.end = recorder_->now();
    recorder_->record(event_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Recorder* recorder_;
  TraceEvent event_;
};

}  // namespace trisweep::engine
