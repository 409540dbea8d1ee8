#include "trisweep/measure/ping_pong.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include "trisweep/core/clock.hpp"

namespace trisweep::measure {
namespace {

using mpi::Communicator;

constexpr int solves = 12;
constexpr double longest_wait = 60;  // seconds; a message that takes longer counts as lost

// Messages a rank sends in one solve: fewer large ones, because each has its own slot.
int rounds_of(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 22) / bytes, 2, 50));
}

// Rank 0 and its peer; the other ranks only take part in collective calls.
struct Pair {
  const Communicator& comm;
  Index peer;

  bool plays() const { return comm.rank() == 0 || comm.rank() == peer; }
  Index other() const { return comm.rank() == 0 ? peer : 0; }
};

// Times one round trip after another; `half_trip(round, sends)` sends or receives one message. The first
// solve warms up.
PingPongSample time_round_trips(const Pair& pair, std::size_t bytes,
                                const std::function<void(int round, bool sends)>& half_trip,
                                const std::function<void()>& between_solves) {
  std::vector<double> seconds;
  for (int solve = 0; solve < solves; ++solve) {
    for (int round = 0; round < rounds_of(bytes) && pair.plays(); ++round) {
      const auto start = Clock::now();
      half_trip(round, pair.comm.rank() == 0);
      half_trip(round, pair.comm.rank() != 0);
      if (solve > 0) seconds.push_back(seconds_since(start) / 2);
    }
    between_solves();
  }
  std::sort(seconds.begin(), seconds.end());
  PingPongSample sample{bytes, 0, 0, 0};
  if (pair.comm.rank() == 0) sample = {bytes, seconds[seconds.size() / 2], seconds.front(), seconds.back()};
  pair.comm.broadcast(sample);
  return sample;
}

mpi::CommunicationPattern pattern_of(const Pair& pair, std::size_t bytes) {
  mpi::CommunicationPattern pattern{.phase = std::vector<mpi::PhaseMessages>(1), .row_bytes = bytes};
  for (int round = 0; round < rounds_of(bytes) && pair.plays(); ++round) {
    pattern.phase[0].in.push_back({pair.other(), round, 1});
    pattern.phase[0].out.push_back({pair.other(), round, 1});
  }
  return pattern;
}

PingPongSample measure_transport(const Pair& pair, const mpi::NamedTransport& named, std::size_t bytes) {
  const auto transport = named.make(pair.comm, pattern_of(pair, bytes));
  std::vector<std::byte> sent(bytes), received(bytes);
  mpi::Watchdog watchdog(longest_wait);
  transport->open_phase(0);
  const auto half_trip = [&](int round, bool sends) {
    if (sends) return transport->send(round, sent.data(), bytes);
    std::optional<mpi::Arrival> arrival;
    for (watchdog.reset(); !(arrival = transport->poll());)
      watchdog.backoff(
          [&] { return fmt::format("a {} message of {} bytes does not come", named.name, bytes); });
    transport->receive(*arrival, received.data(), bytes);
  };
  return time_round_trips(pair, bytes, half_trip, [&] {
    transport->close_phase(watchdog);
    transport->close_solve(watchdog);
    transport->open_phase(0);
  });
}

// A window of memory that all ranks of a node see: each has a flag on its own cache line, then its data.
class SharedWindow {
 public:
  SharedWindow(const Communicator& node, std::size_t bytes) : node_(node) {
    std::byte* mine = nullptr;
    mpi::agree_on_error(node, [&] {
      mpi::check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(line + bytes), 1, MPI_INFO_NULL, node.handle(),
                                         &mine, &window_),
                 "MPI_Win_allocate_shared");
    });
    std::memset(mine, 0, line + bytes);
    mpi::check(MPI_Barrier(node.handle()), "MPI_Barrier");
  }
  ~SharedWindow() {
    if (node_.may_communicate()) MPI_Win_free(&window_);
  }
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  std::atomic_ref<std::uint64_t> flag(Index rank) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(base(rank)));
  }
  std::byte* data(Index rank) const { return base(rank) + line; }

 private:
  static constexpr std::size_t line = 64;
  std::byte* base(Index rank) const {
    MPI_Aint size = 0;
    int unit = 0;
    std::byte* at = nullptr;
    mpi::check(MPI_Win_shared_query(window_, rank, &size, &unit, &at), "MPI_Win_shared_query");
    return at;
  }

  const Communicator& node_;
  MPI_Win window_ = MPI_WIN_NULL;
};

PingPongSample measure_shared_window(const Pair& pair, std::size_t bytes) {
  const SharedWindow window(pair.comm, bytes);
  std::vector<std::byte> sent(bytes), received(bytes);
  std::uint64_t sends = 0, receives = 0;
  mpi::Watchdog watchdog(longest_wait);
  return time_round_trips(
      pair, bytes,
      [&](int, bool sending) {
        const Index mine = pair.comm.rank(), from = pair.other();
        if (sending) {
          std::memcpy(window.data(mine), sent.data(), bytes);
          window.flag(mine).store(++sends, std::memory_order_release);
          return;
        }
        const std::uint64_t expected = ++receives;
        for (watchdog.reset(); window.flag(from).load(std::memory_order_acquire) != expected;)
          watchdog.backoff([] { return std::string("a write into a shared window is not seen"); });
        std::memcpy(received.data(), window.data(from), bytes);
      },
      [] {});
}

// Fills in the samples, or the obstacle.
void measure_each(PingPong& result, const std::vector<std::size_t>& sizes,
                  const std::function<PingPongSample(std::size_t bytes)>& sample) {
  try {
    for (const std::size_t bytes : sizes) result.samples.push_back(sample(bytes));
  } catch (const mpi::CollectiveError& error) {
    result.samples.clear();
    result.obstacle = error.what();
  }
}

// Times a shared window on rank 0's node. Unset if the peer is on another node.
std::optional<PingPong> ping_pong_in_window(const Pair& pair, const std::vector<std::size_t>& sizes) {
  const Communicator node = pair.comm.of_node();
  Index first = pair.comm.rank();
  node.broadcast(first);
  const Index node_rank = pair.comm.rank() == pair.peer && first == 0 ? node.rank() : -1;
  const Pair there{node, static_cast<Index>(pair.comm.max(Offset{node_rank}))};
  if (there.peer < 0) return std::nullopt;
  PingPong result{.name = "shared-window", .samples = {}, .is_transport = false};
  if (first == 0)
    measure_each(result, sizes, [&](std::size_t bytes) { return measure_shared_window(there, bytes); });
  pair.comm.broadcast(result.samples);
  pair.comm.broadcast(result.obstacle);
  return result;
}

}  // namespace

std::vector<PingPong> ping_pong(const Communicator& comm, Index peer, std::size_t largest_bytes) {
  if (peer < 1 || peer >= comm.size()) {
    throw mpi::CollectiveError(
        ErrorKind::usage, fmt::format("a message needs two ranks, and of {} there is no other numbered {}\n"
                                      "  remedy: start it with mpirun -n {}",
                                      comm.size(), peer, std::max<Index>(peer, 1) + 1));
  }
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes <= largest_bytes; bytes *= 4) sizes.push_back(bytes);
  const Pair pair{comm, peer};
  std::vector<PingPong> results;
  for (const mpi::NamedTransport& named : mpi::transports()) {
    results.push_back({std::string(named.name), {}});
    measure_each(results.back(), sizes,
                 [&](std::size_t bytes) { return measure_transport(pair, named, bytes); });
  }
  if (auto window = ping_pong_in_window(pair, sizes)) results.push_back(*std::move(window));
  return results;
}

}  // namespace trisweep::measure
