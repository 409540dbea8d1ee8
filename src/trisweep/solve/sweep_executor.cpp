#include "trisweep/solve/sweep_executor.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace trisweep::solve {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr int tag_exchange = 2;

}  // namespace

Activity& Activity::operator+=(const Activity& other) {
  seconds += other.seconds;
  floating_point_seconds += other.floating_point_seconds;
  messages_sent += other.messages_sent;
  bytes_sent += other.bytes_sent;
  messages_received += other.messages_received;
  bytes_received += other.bytes_received;
  return *this;
}

template <Scalar T>
struct SweepExecutor<T>::Sweep {
  SweepExecutor& self;
  const plan::SweepPhase& phase;
  const kernels::Work<T>& work;
  transport::TwoSided& transport;
  Activity done{};

  std::size_t slot_bytes(Index s) const { return usize(self.share_.width(s)) * usize(work.nrhs) * sizeof(T); }
  T* slot(Index s) const { return work.at(self.share_.slot[usize(s)]); }

  // Messages first, since others wait for them; then the task that comes first in priority; when there is
  // neither, wait for a message. Ends when every task has run and every message has come.
  void run() {
    start();
    Index expected = phase.receives.broadcast + phase.receives.reduction;
    while (true) {
      if (expected > 0) {
        auto arrival = self.ready_.empty() ? transport.wait() : transport.poll();
        if (arrival) {
          take(*arrival);
          --expected;
          continue;
        }
      }
      if (self.ready_.empty()) break;
      run_task(pop_ready());
    }
  }

  void start() {
    for (std::size_t s = 0; s < phase.segment.size(); ++s) self.pending_[s] = phase.segment[s].pending;
    for (std::size_t t = 0; t < phase.task.size(); ++t) self.waits_[t] = phase.task[t].waits;
    for (const Index s : phase.cleared) std::fill_n(slot(s), slot_bytes(s) / sizeof(T), T{});
    self.ready_.clear();
    for (std::size_t t = 0; t < phase.task.size(); ++t) {
      if (phase.task[t].waits == 0)
        self.ready_.push_back(static_cast<Index>(t));  // ascending: already a heap
    }
    for (const Index s : phase.ready) make_available(s);
  }

  Index pop_ready() {
    std::pop_heap(self.ready_.begin(), self.ready_.end(), std::greater<>{});
    const Index t = self.ready_.back();
    self.ready_.pop_back();
    return t;
  }

  void run_task(Index t) {
    const plan::Task& task = phase.task[usize(t)];
    const auto start_time = Clock::now();
    for (Index i = task.piece_begin; i < task.piece_end; ++i) apply(phase.piece[usize(i)]);
    done.floating_point_seconds += seconds_since(start_time);
    for (Index f = task.feed_begin; f < task.feed_end; ++f) contribute(phase.feed[usize(f)]);
  }

  void apply(Index piece) {
    const auto& side = self.share_.side(phase.side);
    const Index s = self.share_.local[usize(side.supernode[usize(piece)])];
    const kernels::Panel<T> panel{
        .value = self.panels_.piece(phase.side, side.value_ptr[usize(piece)]),
        .position = side.position.data() + side.row_ptr[usize(piece)],
        .height = side.height(piece),
        .width = self.share_.width(s),
        .conjugate = phase.conjugate,
    };
    const Index at = self.share_.slot[usize(s)];
    if (phase.direction == plan::Direction::scatter) {
      kernels::scatter_product(panel, at, work);
    } else {
      kernels::gather_product(panel, at, work);
    }
  }

  void contribute(Index s) {
    if (--self.pending_[usize(s)] > 0) return;
    const plan::Segment& segment = phase.segment[usize(s)];
    if (segment.parent < 0) {
      make_available(s);
    } else {
      send(segment.parent, s, transport::MessageKind::reduction);
    }
  }

  void make_available(Index s) {
    const plan::Segment& segment = phase.segment[usize(s)];
    for (Index c = segment.child_begin; c < segment.child_end; ++c) {
      send(phase.child[usize(c)], s, transport::MessageKind::broadcast);
    }
    for (Index c = segment.consumer_begin; c < segment.consumer_end; ++c) {
      const Index t = phase.consumer[usize(c)];
      if (--self.waits_[usize(t)] > 0) continue;
      self.ready_.push_back(t);
      std::push_heap(self.ready_.begin(), self.ready_.end(), std::greater<>{});
    }
  }

  void send(Index to, Index s, transport::MessageKind kind) {
    transport.send(to, self.share_.segment[usize(s)], kind, slot(s), slot_bytes(s));
    ++done.messages_sent;
    done.bytes_sent += static_cast<Offset>(slot_bytes(s));
  }

  void take(transport::Arrival& arrival) {
    const Index s = self.share_.local[usize(arrival.supernode)];
    const std::size_t bytes = slot_bytes(s);
    ++done.messages_received;
    done.bytes_received += static_cast<Offset>(bytes);
    if (arrival.kind == transport::MessageKind::broadcast) {
      transport.receive(arrival, slot(s), bytes);
      make_available(s);
    } else {
      transport.receive(arrival, work.scratch, bytes);
      std::transform(slot(s), slot(s) + bytes / sizeof(T), work.scratch, slot(s), std::plus<>{});
      contribute(s);
    }
  }
};

template <Scalar T>
void SweepExecutor<T>::reserve(const plan::SweepPhase& phase) {
  pending_.resize(std::max(pending_.size(), phase.segment.size()));
  waits_.resize(std::max(waits_.size(), phase.task.size()));
  ready_.reserve(phase.task.size());
}

template <Scalar T>
Activity SweepExecutor<T>::run(const plan::SweepPhase& phase, Index channel, const kernels::Work<T>& work,
                               transport::TwoSided& transport) {
  const auto start_time = Clock::now();
  transport.open_phase(channel);
  Sweep sweep{*this, phase, work, transport};
  sweep.run();
  transport.close_phase();
  sweep.done.seconds = seconds_since(start_time);
  return sweep.done;
}

template <Scalar T>
Activity SweepExecutor<T>::run(const plan::DiagonalPhase& phase, const kernels::Work<T>& work) {
  const auto start_time = Clock::now();
  for (const Index s : phase.segment) {
    kernels::diagonal_product(panels_.diagonal(share_.diagonal_ptr[usize(s)]), share_.width(s), phase.op,
                              share_.slot[usize(s)], work);
  }
  Activity done;
  done.seconds = done.floating_point_seconds = seconds_since(start_time);
  return done;
}

template <Scalar T>
Activity SweepExecutor<T>::run(const plan::ExchangePhase& phase, const kernels::Work<T>& work,
                               const transport::Communicator& comm, std::span<T> buffer) {
  const auto start_time = Clock::now();
  Activity done;
  for (const plan::ExchangeStep& step : phase.step) {
    const std::size_t count = usize(step.rows) * usize(work.nrhs);
    const bool sends = step.transfer == plan::Transfer::send;
    if (!sends) comm.receive_bytes(buffer.data(), count * sizeof(T), step.rank, tag_exchange);
    T* at = buffer.data();
    for (const Index s : step.segment) {
      T* const slot = work.at(share_.slot[usize(s)]);
      const std::size_t size = usize(share_.width(s)) * usize(work.nrhs);
      switch (step.transfer) {
        case plan::Transfer::send:
          std::copy_n(slot, size, at);
          break;
        case plan::Transfer::receive_copy:
          std::copy_n(at, size, slot);
          break;
        case plan::Transfer::receive_add:
          std::transform(slot, slot + size, at, slot, std::plus<>{});
          break;
      }
      at += size;
    }
    if (sends) comm.send_bytes(buffer.data(), count * sizeof(T), step.rank, tag_exchange);
    (sends ? done.messages_sent : done.messages_received) += 1;
    (sends ? done.bytes_sent : done.bytes_received) += static_cast<Offset>(count * sizeof(T));
  }
  done.seconds = seconds_since(start_time);
  return done;
}

#define INSTANTIATE(T) template class SweepExecutor<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
