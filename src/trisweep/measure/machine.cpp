#include "trisweep/measure/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "trisweep/core/clock.hpp"
#include "trisweep/engine/ready_tasks.hpp"
#include "trisweep/measure/message_costs.hpp"
#include "trisweep/measure/panels.hpp"
#include "trisweep/measure/ping_pong.hpp"
#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/blas_threads.hpp"

namespace trisweep::measure {
namespace {

// The median of several: what disturbs a measurement also disturbs the solves that it has to predict.
double typical(int times, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    work();
    seconds.push_back(seconds_since(start));
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

// Measured in the shape in which a supernode updates a front.
double dgemm_flops() {
  constexpr Index rows = 1024, width = 128;
  std::vector<double> a(usize(rows) * width, 1e-9), c(usize(rows) * rows, 0);
  const numeric::View<double> side{a.data(), rows, width, rows};
  const double seconds = typical(15, [&] {
    numeric::subtract_product<double>({c.data(), rows, rows, rows}, side, Op::transpose, side);
  });
  return 2.0 * rows * rows * width / seconds;
}

void measure_compute(const mpi::Communicator& world, model::Machine& m) {
  constexpr int times = 15;
  const bool root = world.rank() == 0;
  Panels stream(64, 64, 2048, 1);  // 64 MiB: more than a rank's share of any cache
  double alone = 0, together = 0;
  if (root) alone = typical(times, [&] { stream.multiply(); });
  mpi::check(MPI_Barrier(world.handle()), "MPI_Barrier");
  together = world.max(typical(times, [&] { stream.multiply(); }));
  m.worker_bandwidth = stream.bytes() / std::max(alone, 1e-9);
  m.memory_bandwidth = std::max(m.worker_bandwidth, m.ranks_per_memory * stream.bytes() / together);
  if (!root) return;
  // The overhead of a product is the time of small panels beyond that of their bytes.
  Panels small(16, 8, 65536, 1), many(32, 12, 4096, 16);
  const double in_order = typical(times, [&] { small.multiply(); });
  const double scattered = typical(times, [&] { small.multiply_scattered(); });
  m.product_seconds = std::max(0.0, (in_order - small.bytes() / m.worker_bandwidth) / small.count());
  m.worker_flops =
      many.flops() / (typical(times, [&] { many.multiply(); }) - many.count() * m.product_seconds);
  m.dgemm_flops = dgemm_flops();
  constexpr Index tasks = 1000;
  engine::ReadyTasks ready;
  ready.reserve(usize(tasks));
  m.task_seconds = typical(100,
                           [&] {
                             for (Index t = 0; t < tasks; ++t) ready.push(t);
                             while (ready.try_pop()) continue;
                           }) /
                       tasks +
                   std::max(0.0, scattered - in_order) / small.count();
}

// Half of a one-way time counts as latency; the overheads at both ends are measured on busy ranks.
model::Link link_of(const PingPong& result, const MessageCosts& costs) {
  const auto &least = result.samples.front(), &largest = result.samples.back();
  const double latency = least.seconds_median / 2;
  return {.latency = latency,
          .bandwidth = double(largest.bytes - least.bytes) /
                       std::max(largest.seconds_median - least.seconds_median, 1e-9),
          .send_overhead = costs.send,
          .receive_overhead = costs.receive};
}

// The first other rank on rank 0's node, and the first on another node; 0: there is none.
struct Peers {
  Index inside = 0;
  Index between = 0;
};

Peers peers_of_first_rank(const mpi::Communicator& world) {
  Index first = world.rank();
  world.of_node().broadcast(first);
  const auto first_of_node = world.gather(first);
  Peers peers;
  for (Index rank = static_cast<Index>(first_of_node.size()) - 1; rank > 0; --rank)
    (first_of_node[usize(rank)] == 0 ? peers.inside : peers.between) = rank;
  world.broadcast(peers);
  return peers;
}

std::string in_one_line(std::string text) {
  for (std::size_t at; (at = text.find("\n ")) != std::string::npos;) text.replace(at, 2, 1, ';');
  return text;
}

// Messages between rank 0 and its peer.
void measure_link(const mpi::Communicator& world, Index peer, model::Link model::Network::*link,
                  model::Machine& m) {
  for (const PingPong& result : ping_pong(world, peer, std::size_t{1} << 20)) {
    const auto described = std::ranges::find(model::networks(), result.name, &model::NamedNetwork::name);
    if (!result.obstacle.empty()) {
      if (result.is_transport)
        m.sources.push_back({"no " + result.name + " messages", in_one_line(result.obstacle)});
    } else if (described != model::networks().end()) {
      const MessageCosts costs =
          message_costs(world, peer, result.name, result.samples.front().seconds_median);
      model::Network& network = described->describe(m);
      network.*link = link_of(result, costs);
      network.look_seconds = std::max(network.look_seconds, costs.look);
    }
  }
}

// If rank 0 has no peer of one kind, the messages with the other kind stand for both.
void measure_messages(const mpi::Communicator& world, model::Machine& m) {
  using model::Network;
  const Peers peers = peers_of_first_rank(world);
  if (peers.inside > 0 || peers.between == 0)
    measure_link(world, std::max(peers.inside, 1), &Network::inside, m);
  if (peers.between > 0) {
    if (peers.inside > 0) m.sources.clear();
    measure_link(world, peers.between, &Network::between, m);
  }
  for (Network* network :
       {&m.two_sided, m.one_sided ? &*m.one_sided : nullptr, m.shared ? &*m.shared : nullptr}) {
    if (network == nullptr) continue;
    if (peers.between == 0) network->between = network->inside;
    if (peers.inside == 0) network->inside = network->between;
  }
}

}  // namespace

model::Machine measure_machine(const mpi::Communicator& world, const Host& host) {
  model::Machine m{.name = host.name, .device = "cpu"};
  m.ranks_per_node = m.ranks_per_memory = mpi::ranks_of_first_node(world);
  measure_messages(world, m);
  measure_compute(world, m);
  const auto missing = std::exchange(
      m.sources,
      {{"everything",
        fmt::format("measured on {} ({}) with {} ranks", host.name, host.processor, world.size())},
       {"latency, bandwidth",
        "ping-pong of rank 0 with the next rank of its node (inside) and of another node (between), one "
        "standing for the other where there is none: half of 8 bytes; 1 MiB"},
       {"send_overhead, receive_overhead, look_seconds",
        "of a busy rank: messages with places of their own, among products with panels from memory, in "
        "processor time"},
       {"worker_bandwidth, memory_bandwidth",
        "64 x 64 panels streamed by one rank alone, and by all at once"},
       {"worker_flops", "32 x 12 panels, 16 right-hand sides"},
       {"dgemm_flops", "1024 x 1024 entries updated with 128 columns"},
       {"product_seconds", "16 x 8 panels in order, with work rows of their own, beyond their bytes"},
       {"task_seconds",
        "the queue of ready tasks, and what a 16 x 8 panel takes longer that does not follow the last one in "
        "memory"}});
  m.sources.insert(m.sources.end(), missing.begin(), missing.end());
  return m;
}

}  // namespace trisweep::measure
