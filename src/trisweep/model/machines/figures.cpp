#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {
namespace {

Source unit_estimates() {
  return {"worker_bandwidth, worker_flops, task_seconds",
          "estimates: a compute unit alone reaches twice its share of the bandwidth, small "
          "products a quarter of its peak flops; a microsecond to start a block and to poll"};
}

}  // namespace

Source achievable_cpu() {
  return {"memory_bandwidth", "estimate: 0.8 of the peak is reached by streams"};
}

Source achievable_gpu() {
  return {"memory_bandwidth", "estimate: 0.85 of the peak is reached by streams"};
}

Source core_estimates() {
  return {
      "worker_bandwidth, worker_flops, dgemm_flops, task_seconds, product_seconds",
      "estimates: a core alone reaches several times its share of the bandwidth, small "
      "products a quarter of its peak flops and large ones 0.8; bookkeeping twice what `trisweep machines "
      "--measure` finds on a core of the 2020s, more on slower ones"};
}

Source split() {
  return {"two_sided, one_sided: how a latency splits into overheads",
          "estimate: about a quarter at either end"};
}

Source v100() {
  return {"memory_bandwidth, workers, worker_flops",
          "NVIDIA, V100 SXM2: 900 GB/s, 80 units, 7.8 Tflop/s double precision, peaks"};
}

Source p100() {
  return {"memory_bandwidth, worker_flops",
          "H-matrix paper, IV: 495 GB/s measured (732 GB/s peak), 4.7 Tflop/s double precision"};
}

Source p100_units() {
  return {"workers", "NVIDIA, P100: 56 units"};
}

Source p100_blocks() {
  return {"gpu_node: launch_seconds, resident_blocks",
          "estimate: 5 microseconds to launch a kernel; blocks of batched products that registers leave "
          "room for, by nvcc (core/occupancy.hpp)"};
}

Machine gpus(std::string name, Index per_node, Index units, double bandwidth, double flops) {
  return {.name = std::move(name),
          .device = "gpu",
          .ranks_per_node = per_node,
          .ranks_per_memory = 1,
          .workers = units,
          .receivers = units,
          .grain = plan::grain_of_gpus,
          .worker_bandwidth = 2 * bandwidth / units,
          .memory_bandwidth = bandwidth,
          .worker_flops = small_products * flops / units,
          .task_seconds = 1 * us,
          .product_seconds = 0};
}

void connect(Machine& m, double inside, double between, double injection) {
  m.injection_bandwidth = injection;
  m.one_sided = Network{.inside = {0.8 * us, inside, 0.3 * us, 0.2 * us},
                        .between = {3 * us, between, 0.5 * us, 0.2 * us}};
  m.two_sided = {.inside = {5 * us, inside, 2 * us, 2 * us}, .between = {7 * us, between, 2 * us, 2 * us}};
  m.sources.push_back({"latency, overheads",
                       "estimates: a microsecond over a direct link and three over the "
                       "network when the GPU starts it; ten by way of the CPU"});
  m.sources.push_back(unit_estimates());
}

}  // namespace trisweep::model
