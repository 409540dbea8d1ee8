#include "measure.hpp"

#include <fmt/format.h>

#include <functional>

#include "clock.hpp"
#include "trisweep/core/buffer.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/solve/ready_tasks.hpp"
#include "trisweep/transport/pingpong.hpp"

namespace trisweep::cli {
namespace {

// The least of several: what disturbs a measurement only makes it longer.
double fastest(int times, const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    work();
    least = std::min(least, seconds_since(start));
  }
  return least;
}

// Panels of one size, one after another in memory, that are multiplied as a backward sweep does it: gathers
// go down in memory, and fetch ahead of themselves in that direction.
class Panels {
 public:
  Panels(Index height, Index width, Index count, Index nrhs)
      : height_(height),
        width_(width),
        count_(count),
        nrhs_(nrhs),
        value_(usize(height) * usize(width) * usize(count), "panels to measure"),
        row_(usize(height + width) * usize(nrhs), 1.0),
        scratch_(kernels::scratch_size(width, nrhs)) {
    std::ranges::fill(value_.span(), 1e-9);
    for (Index i = 0; i < height; ++i) position_.push_back(width + i);
  }

  void multiply() {
    const kernels::Work<double> work{.row = row_.data(), .scratch = scratch_.data(), .nrhs = nrhs_};
    for (Index i = count_ - 1; i >= 0; --i) {
      kernels::gather_product<double>({.value = value_.data() + usize(i) * usize(height_) * usize(width_),
                                       .position = position_.data(),
                                       .height = height_,
                                       .width = width_,
                                       .begin = 0,
                                       .end = height_,
                                       .conjugate = false},
                                      0, work);
    }
  }

  double bytes() const { return double(value_.size()) * sizeof(double); }
  double flops() const { return 2.0 * double(value_.size()) * nrhs_; }
  double count() const { return count_; }

 private:
  Index height_, width_, count_, nrhs_;
  Buffer<double> value_;
  std::vector<double> row_, scratch_;
  std::vector<Index> position_;
};

void measure_compute(const transport::Communicator& world, model::Machine& m) {
  constexpr int times = 15;
  const bool root = world.rank() == 0;
  Panels stream(64, 64, 2048, 1);  // 64 MiB: beyond any cache's share of a rank
  double alone = 0, together = 0;
  if (root) alone = fastest(times, [&] { stream.multiply(); });
  transport::check(MPI_Barrier(world.handle()), "MPI_Barrier");
  together = world.max(fastest(times, [&] { stream.multiply(); }));
  m.worker_bandwidth = stream.bytes() / std::max(alone, 1e-9);
  m.memory_bandwidth = std::max(m.worker_bandwidth, m.ranks_per_memory * stream.bytes() / together);
  if (!root) return;
  // A product's own cost is what small panels take longer than their bytes.
  Panels small(16, 8, 65536, 1), many(32, 12, 4096, 16);
  m.product_seconds = std::max(
      0.0, (fastest(times, [&] { small.multiply(); }) - small.bytes() / m.worker_bandwidth) / small.count());
  m.worker_flops =
      many.flops() / (fastest(times, [&] { many.multiply(); }) - many.count() * m.product_seconds);
  constexpr Index tasks = 1000;
  solve::ReadyTasks ready;
  ready.reserve(usize(tasks));
  m.task_seconds = fastest(100,
                           [&] {
                             for (Index t = 0; t < tasks; ++t) ready.push(t);
                             while (ready.try_pop()) continue;
                           }) /
                   tasks;
}

// A message costs latency + bytes / bandwidth; a quarter of the latency counts as each end's overhead.
model::Link link_of(const transport::PingPong& result) {
  const auto &least = result.samples.front(), &largest = result.samples.back();
  const double latency = least.seconds_min;
  return {.latency = latency / 2,
          .bandwidth =
              double(largest.bytes - least.bytes) / std::max(largest.seconds_min - least.seconds_min, 1e-9),
          .send_overhead = latency / 4,
          .receive_overhead = latency / 4};
}

// The first other rank on rank 0's node, and the first on another node; 0: there is none.
struct Peers {
  Index inside = 0;
  Index between = 0;
};

Peers peers_of_first_rank(const transport::Communicator& world) {
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
  for (std::size_t at; (at = text.find("\n ")) != std::string::npos;) text.replace(at, 2, ";");
  return text;
}

// Messages between rank 0 and its peer.
void measure_link(const transport::Communicator& world, Index peer, model::Link model::Network::*link,
                  model::Machine& m) {
  for (const transport::PingPong& result : transport::ping_pong(world, peer, std::size_t{1} << 20)) {
    const auto set = [&](model::Network& network) { network.*link = link_of(result); };
    if (!result.obstacle.empty()) {
      if (result.name != "shared-window")
        m.sources.push_back({"no " + result.name + " messages", in_one_line(result.obstacle)});
    } else if (result.name == "two-sided") {
      set(m.two_sided);
    } else if (result.name == "one-sided") {
      if (!m.one_sided) m.one_sided = {.flushed = true};
      set(*m.one_sided);
    } else if (result.name == "shared") {
      if (!m.shared) m.shared.emplace();
      set(*m.shared);
    }
  }
}

// Where ranks of one kind of pair are not to be had, the other stands for them.
void measure_messages(const transport::Communicator& world, model::Machine& m) {
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

Index ranks_of_first_node(const transport::Communicator& world) {
  Index ranks = world.of_node().size();
  world.broadcast(ranks);
  return ranks;
}

model::Machine measure_machine(const transport::Communicator& world) {
  const report::MachineRecord here = report::this_machine();
  model::Machine m{.name = here.host, .device = "cpu"};
  m.ranks_per_node = m.ranks_per_memory = ranks_of_first_node(world);
  measure_messages(world, m);
  measure_compute(world, m);
  const auto missing = std::exchange(
      m.sources,
      {{"everything",
        fmt::format("measured on {} ({}) with {} ranks", here.host, here.processor, world.size())},
       {"two_sided, one_sided, shared",
        "ping-pong between rank 0 and the next rank of its node (inside), of another node (between; where "
        "there "
        "is none of one kind, the other's): of 8 bytes, and of 1 MiB for the bandwidth; a "
        "quarter of the latency counts as each end's overhead"},
       {"worker_bandwidth, memory_bandwidth",
        "64 x 64 panels streamed by one rank alone, and by all at once"},
       {"worker_flops", "32 x 12 panels, 16 right-hand sides"},
       {"product_seconds, task_seconds", "16 x 8 panels beyond their bytes; the queue of ready tasks"}});
  m.sources.insert(m.sources.end(), missing.begin(), missing.end());
  return m;
}

}  // namespace trisweep::cli
