#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine perlmutter_cpu() {
  return {.name = "perlmutter-cpu",
          .device = "cpu",
          .ranks_per_node = 128,
          .ranks_per_memory = 64,
          .worker_bandwidth = 20 * gb,
          .memory_bandwidth = cpu_stream * 204.8 * gb,
          .worker_flops = small_products * 39.2 * gflop,
          .dgemm_flops = large_products * 39.2 * gflop,
          .task_seconds = 60 * ns,
          .product_seconds = 40 * ns,
          .injection_bandwidth = 25 * gb,
          .two_sided = {.inside = {0.3 * us, 8 * gb, 0.15 * us, 0.15 * us},
                        .between = {1.3 * us, 22 * gb, 0.3 * us, 0.4 * us},
                        .eager_bytes = 16384},
          .one_sided = Network{.inside = {0.2 * us, 8 * gb, 0.1 * us, 0.1 * us},
                               .between = {1.2 * us, 22 * gb, 0.2 * us, 0.1 * us}},
          .sources = {{"ranks_per_node", "NERSC: two EPYC 7763 of 64 cores"},
                      {"memory_bandwidth", "AMD, EPYC 7763: 204.8 GB/s a socket, peak"},
                      {"worker_flops", "AMD, EPYC 7763: 16 flops a cycle at 2.45 GHz, peak"},
                      {"injection_bandwidth", "HPE, Slingshot 11: 200 Gb/s a network interface"},
                      {"latency, bandwidth, overheads", "estimates: about 2 us for MPI between nodes"},
                      achievable_cpu(),
                      core_estimates(),
                      split()}};
}

}  // namespace trisweep::model
