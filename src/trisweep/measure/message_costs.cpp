#include "trisweep/measure/message_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "trisweep/measure/panels.hpp"

namespace trisweep::measure {
namespace {

using mpi::Watchdog;

// Processor time of this thread: the load of other threads and processes does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return std::max(0.0, values[values.size() / 2]);
}

// A flood of messages from one rank to another, while both multiply a panel at every step.
class Flood {
 public:
  Flood(const mpi::Communicator& comm, Index peer, const std::string& transport, Index messages)
      : comm_(comm),
        plays_(comm.rank() == 0 || comm.rank() == peer),
        other_(comm.rank() == 0 ? peer : 0),
        messages_(messages),
        panels_(32, 16, plays_ ? 16384 : 1, 1),  // 64 MiB
        data_(usize(messages) * bytes),
        transport_(mpi::find_transport(transport).make(comm, pattern())) {}

  void run() {
    Watchdog watchdog(longest_wait);
    for (Index solve = 0; solve < solves; ++solve) {
      for (Index phase = 0; phase < phases; ++phase) {
        transport_->open_phase(phase);
        if (plays_) (sends(phase) ? send_all() : receive_all(watchdog));
        transport_->close_phase(watchdog);
      }
      transport_->close_solve(watchdog);
    }
  }

  // The costs on this rank.
  MessageCosts costs() { return {.send = median(send_), .receive = median(receive_), .look = median(look_)}; }

 private:
  static constexpr Index phases = 8;  // in even ones rank 0 sends, in odd ones its peer
  static constexpr Index solves = 6;
  static constexpr std::size_t bytes = 64;     // of a message: a short segment
  static constexpr double longest_wait = 60;   // seconds
  static constexpr Index most_fruitless = 16;  // polls in vain per message, in a valid sample

  bool sends(Index phase) const { return (phase % 2 == 0) == (comm_.rank() == 0); }

  mpi::CommunicationPattern pattern() const {
    mpi::CommunicationPattern pattern{.phase = std::vector<mpi::PhaseMessages>(usize(phases)),
                                      .row_bytes = bytes};
    for (Index phase = 0; phase < phases && plays_; ++phase) {
      auto& all = pattern.phase[usize(phase)];
      (sends(phase) ? all.out : all.in).assign(usize(messages_), {.peer = other_, .name = 0, .rows = 1});
    }
    return pattern;
  }

  // Seconds of a step, which does work() and a product.
  template <class Work>
  double step_seconds(const Work& work) {
    const double start = processor_seconds();
    for (Index i = 0; i < messages_; ++i) {
      work(i);
      panels_.multiply_next();
    }
    return (processor_seconds() - start) / messages_;
  }

  // Neither rank continues before both have arrived, so that polling is measured before anything is sent.
  void conditional_barrier() {
    char word = 0;
    constexpr auto tag = mpi::Tag::barrier;
    if (comm_.rank() == 0) {
      comm_.send_bytes(&word, 1, other_, tag);
      comm_.receive_bytes(&word, 1, other_, tag);
    } else {
      comm_.receive_bytes(&word, 1, other_, tag);
      comm_.send_bytes(&word, 1, other_, tag);
    }
  }

  void send_all() {
    const double product = step_seconds([](Index) {});
    conditional_barrier();
    const double both =
        step_seconds([&](Index i) { transport_->send(i, data_.data() + usize(i) * bytes, bytes); });
    send_.push_back(both - product);
  }

  void receive_all(Watchdog& watchdog) {
    const double product = step_seconds([](Index) {});
    const double look = step_seconds([&](Index) { static_cast<void>(transport_->poll()); }) - product;
    look_.push_back(look);
    conditional_barrier();
    Index received = 0, fruitless = 0;
    const double start = processor_seconds();
    while (received < messages_) {
      if (auto arrival = transport_->poll()) {
        transport_->receive(*arrival, data_.data() + usize(received++) * bytes, bytes);
        watchdog.reset();
      } else {
        ++fruitless;
      }
      panels_.multiply_next();
    }
    const double seconds = processor_seconds() - start;
    if (fruitless > most_fruitless * messages_) return;
    receive_.push_back((seconds - (received + fruitless) * product - fruitless * look) / received);
  }

  const mpi::Communicator& comm_;
  bool plays_;
  Index other_;
  Index messages_;
  Panels panels_;
  std::vector<std::byte> data_;
  std::unique_ptr<mpi::Transport> transport_;
  std::vector<double> send_, receive_, look_;  // by sample
};

}  // namespace

MessageCosts message_costs(const mpi::Communicator& comm, Index peer, const std::string& transport,
                           double latency) {
  constexpr double sample_seconds = 0.01;
  Flood flood(comm, peer, transport, static_cast<Index>(std::clamp(sample_seconds / latency, 8.0, 8192.0)));
  flood.run();
  MessageCosts costs = flood.costs();
  comm.broadcast(costs);
  return costs;
}

}  // namespace trisweep::measure
