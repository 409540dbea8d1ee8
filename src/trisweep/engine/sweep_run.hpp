#pragma once
// One run of a sweep phase (executor.hpp).

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "trisweep/core/wait.hpp"
#include "trisweep/engine/executor.hpp"
#include "trisweep/engine/ready_tasks.hpp"
#include "trisweep/engine/tiny_panels.hpp"
#include "trisweep/plan/sweep_machine.hpp"

namespace trisweep::engine {

// Kept between runs so that a run does not allocate.
template <Scalar T>
struct SweepState {
  plan::SweepCounters<std::atomic<Index>> counters;
  std::vector<char> arrived;  // by incoming message
  ReadyTasks ready;
  Buffer<T> scratch;             // of products, by thread
  std::size_t scratch_size = 0;  // of one thread

  kernels::Work<T> work_of(const Run<T>& run, int thread) {
    return {run.work.row, scratch.data() + usize(thread) * scratch_size, run.work.nrhs};
  }
  void reserve_scratch(std::size_t size, int threads) {
    if (size <= scratch_size) return;
    scratch = Buffer<T>(size * usize(threads), "the right-hand sides");
    scratch_size = size;
  }
  void reserve(const plan::SweepPhase& phase) {
    counters.reserve(phase);
    arrived.reserve(phase.incoming.size());
    ready.reserve(phase.task.size());
  }
};

template <Scalar T>
class SweepRun {
 public:
  SweepRun(const LocalPanels<T>& panels, SweepState<T>& state, const plan::SweepPhase& phase,
           const TinyShapes& shapes, const Run<T>& run)
      : panels_(panels),
        state_(state),
        phase_(phase),
        shapes_(shapes),
        run_(run),
        expected_(phase.incoming.size()),
        tasks_left_(phase.task.size()) {
    start();
  }

  // One thread's part. Ends when all tasks have run and, on thread 0, all messages have arrived.
  void serve(int thread) {
    try {
      if (thread == 0) {
        take_messages();
        while (complete_next() && !failed_.load()) {
        }
      }
      while (const auto task = next_task(thread)) run_task(thread, *task);
    } catch (...) {
      failed_.store(true);
      state_.ready.close();
      throw;
    }
  }

  const PhaseProfile& done() const { return done_; }

 private:
  using MessageKind = plan::MessageKind;
  using SegmentId = plan::SegmentId;

  std::size_t size(SegmentId s) const { return usize(phase_.segment[s].width) * usize(run_.work.nrhs); }
  Offset bytes(SegmentId s) const { return static_cast<Offset>(size(s) * sizeof(T)); }
  T* rows_of(SegmentId s) const { return rows_at(run_.work, phase_.segment[s].row); }

  void start() {
    state_.arrived.assign(phase_.incoming.size(), 0);
    for (const SegmentId s : phase_.cleared) std::fill_n(rows_of(s), size(s), T{});
    state_.ready.open(panels_.pool.size());
    if (phase_.task.empty()) state_.ready.close();
    machine(0).reset();
  }

  // Messages first, since other ranks wait for what they make available; then segments that are complete from
  // the start; then the task of highest priority.
  void take_messages() {
    while (expected_ > 0 && !failed_.load()) {
      Next next = look();
      if (next.nothing()) next = wait();
      if (next.arrival) {
        take(*next.arrival);
      } else if (next.task) {
        run_task(0, *next.task);
      }
    }
  }

  struct Next {
    std::optional<mpi::Arrival> arrival;
    bool completed = false;
    std::optional<Index> task;
    bool nothing() const { return !arrival && !completed && !task; }
  };

  Next look() {
    Next next;
    {
      const auto turn = my_turn();
      next.arrival = run_.transport.poll();
    }
    if (!next.arrival) next.completed = complete_next();
    if (!next.arrival && !next.completed) next.task = state_.ready.try_pop();
    return next;
  }

  // Processes segments that are complete from the start, up to the next one that sends a message; false if
  // none is left. Sending all their messages at once would exceed what a network takes: Open MPI queues the
  // rest, and traverses the whole queue whenever it polls.
  bool complete_next() {
    bool sends = false;
    const std::size_t first = completed_;
    while (!sends && completed_ < phase_.complete.size()) {
      const SegmentId s = phase_.complete[completed_++];
      const plan::Segment& segment = phase_.segment[s];
      sends = segment.parent >= 0 || segment.child_begin < segment.child_end;
      machine(0).complete(s);
    }
    return completed_ > first;
  }

  Next wait() {
    const Span span(run_.recorder, TraceKind::idle, 0);
    run_.watchdog.reset();
    std::size_t tasks_left = tasks_left_.load();
    while (!failed_.load()) {
      if (Next next = look(); !next.nothing()) return next;
      if (const std::size_t now = tasks_left_.load(); now != std::exchange(tasks_left, now))
        run_.watchdog.reset();
      run_.watchdog.backoff([&] { return describe_waiting(); }, [&] { return my_turn(); });
    }
    return {};
  }

  std::optional<Index> next_task(int thread) {
    if (const auto task = state_.ready.try_pop()) return task;
    const Span span(run_.recorder, TraceKind::idle, thread);
    return state_.ready.pop();
  }

  void take(mpi::Arrival& arrival) {
    const plan::Incoming& message = find(arrival);
    const auto [s, kind] = std::pair(message.segment, message.kind);
    const Span span(run_.recorder, message_event(TraceKind::receive, 0, message, message.from));
    done_.received[plan::index_of(kind)] += {1, bytes(s)};
    --expected_;
    if (kind == MessageKind::broadcast) {
      receive(arrival, rows_of(s), s);
    } else if (message.cell != plan::no_row) {
      receive(arrival, rows_at(run_.work, message.cell), s);
    } else {
      receive(arrival, run_.work.scratch, s);
      add(run_.work.scratch, s);
    }
    machine(0).message_came(arrival.number);
  }

  // Threads take turns at the transport and done_.sent.
  std::unique_lock<std::mutex> my_turn() { return turn_of(panels_.pool.size(), transport_); }

  template <class Message>
  TraceEvent message_event(TraceKind kind, int thread, const Message& message, plan::RankId peer) const {
    const plan::Segment& segment = phase_.segment[message.segment];
    return {kind, thread, segment.supernode, peer.value(), message.kind, bytes(message.segment), 0, 0};
  }

  // A message that this phase no longer expects, or never did, comes from a rank with another plan.
  const plan::Incoming& find(const mpi::Arrival& arrival) {
    const std::size_t number = usize(arrival.number);
    if (number < phase_.incoming.size() && phase_.incoming[number].from == plan::RankId(arrival.from) &&
        std::exchange(state_.arrived[number], 1) == 0)
      return phase_.incoming[number];
    throw Error(
        ErrorKind::environment,
        fmt::format("rank {} received an unexpected message ({}) from rank {}: the ranks' plans differ",
                    panels_.local_blocks.rank, arrival.number, arrival.from),
        "use the same solver options on every rank");
  }

  void receive(mpi::Arrival& arrival, T* to, SegmentId s) {
    const auto turn = my_turn();
    run_.transport.receive(arrival, to, usize(bytes(s)));
  }

  void run_task(int thread, Index t) {
    const plan::Task& task = phase_.task[usize(t)];
    {
      const Span span(run_.recorder, TraceKind::products, thread, supernode_of(task));
      const auto work = state_.work_of(run_, thread);
      std::fill_n(rows_at(work, task.cell_begin), usize(task.cell_end - task.cell_begin) * usize(work.nrhs),
                  T{});
      const auto& positions = phase_.position.empty() ? panels_.positions.side(phase_.side) : phase_.position;
      const RowBlocks row_blocks{phase_.row_block, shapes_, usize(task.row_block_begin),
                                 usize(task.row_block_end)};
      if (task.diagonal) {
        panels_.apply_diagonal(row_blocks, phase_.diagonal_op, work);
      } else if (phase_.direction == plan::Direction::scatter) {
        apply<plan::Direction::scatter>(row_blocks, positions.data(), work);
      } else {
        apply<plan::Direction::gather>(row_blocks, positions.data(), work);
      }
    }
    machine(thread).task_ended(t);
    if (tasks_left_.fetch_sub(1) == 1) state_.ready.close();
  }

  Index supernode_of(const plan::Task& task) const {
    const auto& blocks = panels_.local_blocks;
    const auto& side = task.diagonal ? blocks.diagonal : blocks.side(phase_.side);
    return side.supernode[usize(phase_.row_block[usize(task.row_block_begin)].piece)];
  }

  template <plan::Direction direction>
  void apply(const RowBlocks& row_blocks, const Index* positions, const kernels::Work<T>& work) const {
    constexpr bool scatters = direction == plan::Direction::scatter;
    panels_.template for_each_panel<direction>(
        row_blocks, phase_.side, positions, work,
        [&](const TinyPanel<T>& panel, const auto& size) {
          scatters ? scatter_tiny(panel, size, phase_.conjugate, work.row)
                   : gather_tiny(panel, size, phase_.conjugate, work.row);
        },
        [&](kernels::Panel<T> panel, Index at) {
          panel.conjugate = phase_.conjugate;
          scatters ? kernels::scatter_product(panel, at, work) : kernels::gather_product(panel, at, work);
        });
  }

  void add(const T* values, SegmentId s) {
    T* const to = rows_of(s);
    std::transform(to, to + size(s), values, to, std::plus<>{});
  }

  // Actions that the sweep machine requests from one thread.
  struct Effects {
    SweepRun& run;
    int thread;

    void sum_up(SegmentId s) { run.add_cells(s); }
    void send(Index number) { run.send(thread, number); }
    void ready(Index task) { run.state_.ready.push(task); }
  };
  auto machine(int thread) { return plan::SweepMachine(phase_, state_.counters, Effects{*this, thread}); }

  void add_cells(SegmentId s) {
    const plan::Segment& segment = phase_.segment[s];
    for (Index c = segment.cell_begin; c < segment.cell_end; ++c)
      add(rows_at(run_.work, phase_.cell[usize(c)]), s);
  }

  void send(int thread, Index number) {
    const plan::Outgoing& message = phase_.outgoing[usize(number)];
    const T* const values = values_to_send(message);
    const Span span(run_.recorder, message_event(TraceKind::send, thread, message, message.to));
    const auto turn = my_turn();
    run_.transport.send(number, values, usize(bytes(message.segment)));
    done_.sent[plan::index_of(message.kind)] += {1, bytes(message.segment)};
  }

  // A partial sum is sent from a copy if the final segment may arrive before it has left.
  const T* values_to_send(const plan::Outgoing& message) {
    const SegmentId s = message.segment;
    const plan::WorkRow sent_from = phase_.segment[s].sent_from;
    if (message.kind == MessageKind::broadcast || sent_from == plan::no_row) return rows_of(s);
    T* const copy = rows_at(run_.work, sent_from);
    std::copy_n(rows_of(s), size(s), copy);
    return copy;
  }

  // Lists the messages that have not arrived; names the first few.
  std::string describe_waiting() const {
    constexpr int named = 8;
    const plan::Part part = plan::part_of(phase_);
    std::string text = fmt::format("rank {} waits in the {}", panels_.local_blocks.rank,
                                   part == plan::Part::forward    ? "forward sweep"
                                   : part == plan::Part::backward ? "backward sweep"
                                                                  : "product with the separators' inverses");
    int missing = 0;
    for (std::size_t i = 0; i < phase_.incoming.size(); ++i) {
      if (state_.arrived[i] != 0 || ++missing > named) continue;
      const plan::Incoming& m = phase_.incoming[i];
      text += fmt::format("; supernode {} for {} rank {}", phase_.segment[m.segment].supernode,
                          m.kind == MessageKind::broadcast ? "its values from" : "a partial sum from",
                          m.from.value());
    }
    if (missing > named) text += fmt::format("; and {} more messages", missing - named);
    return text;
  }

  const LocalPanels<T>& panels_;
  SweepState<T>& state_;
  const plan::SweepPhase& phase_;
  const TinyShapes& shapes_;
  const Run<T>& run_;
  std::mutex transport_;
  std::size_t expected_;       // messages; used by thread 0 only
  std::size_t completed_ = 0;  // of phase_.complete; used by thread 0 only
  std::atomic<std::size_t> tasks_left_;
  std::atomic<bool> failed_ = false;
  PhaseProfile done_;
};

}  // namespace trisweep::engine
