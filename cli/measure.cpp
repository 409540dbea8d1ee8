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
  constexpr int times = 5;
  const bool root = world.rank() == 0;
  Panels stream(64, 64, 2048, 1);  // 64 MiB: beyond any cache's share of a rank
  double alone = 0, together = 0;
  if (root) alone = fastest(times, [&] { stream.multiply(); });
  transport::check(MPI_Barrier(world.handle()), "MPI_Barrier");
  together = world.max(fastest(times, [&] { stream.multiply(); }));
  m.worker_bandwidth = stream.bytes() / std::max(alone, 1e-9);
  m.memory_bandwidth = std::max(m.worker_bandwidth, world.size() * stream.bytes() / together);
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
  for (const transport::PingPong& result : transport::ping_pong(world, std::size_t{1} << 20)) {
    // Between ranks 0 and 1, wherever they are: the best guess for others, too.
    model::Network network{.inside = link_of(result), .between = link_of(result)};
    network.flushed = result.name == "one-sided";
    if (result.name == "two-sided") m.two_sided = network;
    if (result.name == "one-sided") m.one_sided = network;
  }
  measure_compute(world, m);
  m.sources = {
      {"everything",
       fmt::format("measured on {} ({}) with {} ranks", here.host, here.processor, world.size())},
      {"two_sided, one_sided",
       "ping-pong between ranks 0 and 1: of 8 bytes, and of 1 MiB for the bandwidth; a "
       "quarter of the latency counts as each end's overhead"},
      {"worker_bandwidth, memory_bandwidth", "64 x 64 panels streamed by one rank alone, and by all at once"},
      {"worker_flops", "32 x 12 panels, 16 right-hand sides"},
      {"product_seconds, task_seconds", "16 x 8 panels beyond their bytes; the queue of ready tasks"}};
  return m;
}

}  // namespace trisweep::cli
