#include "trisweep/transport/pingpong.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>

namespace trisweep::transport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int solves = 12;

// Messages a rank sends in one solve: fewer of the large ones, which all have a slot of their own.
int rounds_of(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 22) / bytes, 2, 50));
}

// Takes the time of one round trip after another; `half_trip(round, sends)` sends or receives one message.
// The first solve warms up.
PingPongSample measure(const Communicator& comm, std::size_t bytes,
                       const std::function<void(int round, bool sends)>& half_trip,
                       const std::function<void()>& between_solves) {
  std::vector<double> seconds;
  for (int solve = 0; solve < solves; ++solve) {
    for (int round = 0; round < rounds_of(bytes) && comm.rank() < 2; ++round) {
      const auto start = Clock::now();
      half_trip(round, comm.rank() == 0);
      half_trip(round, comm.rank() != 0);
      if (solve > 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count() / 2);
    }
    between_solves();
  }
  std::sort(seconds.begin(), seconds.end());
  PingPongSample sample{bytes, 0, 0, 0};
  if (comm.rank() == 0) sample = {bytes, seconds[seconds.size() / 2], seconds.front(), seconds.back()};
  comm.broadcast(sample);
  return sample;
}

Traffic traffic_of(const Communicator& comm, std::size_t bytes) {
  Traffic traffic{.phase = std::vector<PhaseMessages>(1), .row_bytes = bytes};
  for (int round = 0; round < rounds_of(bytes) && comm.rank() < 2; ++round) {
    traffic.phase[0].in.push_back({1 - comm.rank(), round, 1});
    traffic.phase[0].out.push_back({1 - comm.rank(), round, 1});
  }
  return traffic;
}

PingPongSample measure_transport(const Communicator& comm, const NamedTransport& named, std::size_t bytes) {
  const auto transport = named.make(comm, traffic_of(comm, bytes));
  std::vector<std::byte> sent(bytes), received(bytes);
  Patience patience;
  transport->open_phase(0);
  const auto half_trip = [&](int round, bool sends) {
    if (sends) return transport->send(1 - comm.rank(), round, sent.data(), bytes);
    std::optional<Arrival> arrival;
    for (patience.moved(); !(arrival = transport->poll());)
      patience.nothing_yet([] { return std::string(); });
    transport->receive(*arrival, received.data(), bytes);
  };
  return measure(comm, bytes, half_trip, [&] {
    transport->close_phase(patience);
    transport->close_solve(patience);
    transport->open_phase(0);
  });
}

// A window of memory that all ranks of a node see: each has a flag on a line of its own, then its data.
class SharedWindow {
 public:
  SharedWindow(const Communicator& node, std::size_t bytes) : node_(node) {
    std::byte* mine = nullptr;
    check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(line + bytes), 1, MPI_INFO_NULL, node.handle(), &mine,
                                  &window_),
          "MPI_Win_allocate_shared");
    std::memset(mine, 0, line + bytes);
    check(MPI_Barrier(node.handle()), "MPI_Barrier");
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
    check(MPI_Win_shared_query(window_, rank, &size, &unit, &at), "MPI_Win_shared_query");
    return at;
  }

  const Communicator& node_;
  MPI_Win window_ = MPI_WIN_NULL;
};

PingPongSample measure_shared_window(const Communicator& node, std::size_t bytes) {
  const SharedWindow window(node, bytes);
  std::vector<std::byte> sent(bytes), received(bytes);
  std::uint64_t sends = 0, receives = 0;
  Patience patience;
  return measure(
      node, bytes,
      [&](int, bool sending) {
        if (sending) {
          std::memcpy(window.data(node.rank()), sent.data(), bytes);
          window.flag(node.rank()).store(++sends, std::memory_order_release);
          return;
        }
        const Index from = 1 - node.rank();
        const std::uint64_t expected = ++receives;
        for (patience.moved(); window.flag(from).load(std::memory_order_acquire) != expected;)
          patience.nothing_yet([] { return std::string(); });
        std::memcpy(received.data(), window.data(from), bytes);
      },
      [] {});
}

}  // namespace

std::vector<PingPong> ping_pong(const Communicator& comm, std::size_t largest_bytes) {
  if (comm.size() < 2) {
    throw CollectiveError(ErrorKind::usage, "a message needs two ranks\n  remedy: start it with mpirun -n 2");
  }
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 8; bytes <= largest_bytes; bytes *= 4) sizes.push_back(bytes);
  std::vector<PingPong> results;
  const Communicator node = comm.of_node();
  const bool one_node = comm.max(node.size() < comm.size() ? 1.0 : 0.0) == 0;
  for (const NamedTransport& named : transports()) {
    if (!one_node && !named.crosses_nodes) continue;
    results.push_back({std::string(named.name), {}});
    for (const std::size_t bytes : sizes)
      results.back().samples.push_back(measure_transport(comm, named, bytes));
  }
  if (comm.max(comm.rank() == 1 && node.rank() != 1 ? 1.0 : 0.0) > 0) return results;
  results.push_back({"shared-window", {}});
  for (const std::size_t bytes : sizes) {
    PingPongSample sample{};
    if (comm.rank() == 0 || node.size() > 1) sample = measure_shared_window(node, bytes);
    comm.broadcast(sample);
    results.back().samples.push_back(sample);
  }
  return results;
}

}  // namespace trisweep::transport
