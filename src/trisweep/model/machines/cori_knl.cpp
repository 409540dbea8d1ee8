#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine cori_knl() {
  return {
      .name = "cori-knl",
      .device = "cpu",
      .ranks_per_node = 64,
      .ranks_per_memory = 64,
      .worker_bandwidth = 8 * gb,
      .memory_bandwidth = 400 * gb,
      .worker_flops = small_products * 0.5 * 44.8 * gflop,
      .dgemm_flops = large_products * 0.5 * 44.8 * gflop,
      .task_seconds = 250 * ns,
      .product_seconds = 150 * ns,
      .injection_bandwidth = 8 * gb,
      .two_sided = {.inside = {0.6 * us, 2 * gb, 0.6 * us, 0.6 * us},
                    .between = {1.5 * us, 8 * gb, 1.1 * us, 1.0 * us},
                    .eager_bytes = 8192},
      .one_sided = Network{.inside = {0.3 * us, 2 * gb, 0.2 * us, 0.1 * us},
                           .between = {0.8 * us, 8 * gb, 0.3 * us, 0.1 * us}},
      .sources = {{"ranks_per_node", "NERSC, Cori configuration: 68 cores at 1.4 GHz, of which 64 are used"},
                  {"worker_flops",
                   "Intel: 32 flops a cycle and core at 1.4 GHz, peak; half of it for "
                   "products with one vector, estimate"},
                  {"memory_bandwidth", "Intel, STREAM triad on Xeon Phi x200: above 400 GB/s from MCDRAM"},
                  {"two_sided",
                   "NERSC, Cori configuration: up to 3.7 us for MPI on Aries; the slow cores "
                   "have the upper end"},
                  {"one_sided",
                   "poster: on 16 KNL nodes foMPI one-sided beats Cray two-sided MPI by 3x "
                   "(and Cray one-sided MPI by 8x), round trip"},
                  {"bandwidth, injection_bandwidth", "NERSC, Cori configuration: about 8 GB/s for MPI"},
                  core_estimates(),
                  split()}};
}

}  // namespace trisweep::model
