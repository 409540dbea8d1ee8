#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine cori_haswell() {
  return {.name = "cori-haswell",
          .device = "cpu",
          .ranks_per_node = 32,
          .ranks_per_memory = 16,
          .worker_bandwidth = 10 * gb,
          .memory_bandwidth = cpu_stream * 68 * gb,
          .worker_flops = small_products * 36.8 * gflop,
          .dgemm_flops = large_products * 36.8 * gflop,
          .task_seconds = 80 * ns,
          .product_seconds = 50 * ns,
          .injection_bandwidth = 8 * gb,
          .two_sided = {.inside = {0.3 * us, 5 * gb, 0.2 * us, 0.2 * us},
                        .between = {1.0 * us, 8 * gb, 0.4 * us, 0.4 * us},
                        .eager_bytes = 8192},
          .one_sided = Network{.inside = {0.2 * us, 5 * gb, 0.1 * us, 0.1 * us},
                               .between = {0.7 * us, 8 * gb, 0.2 * us, 0.1 * us}},
          .sources = {{"ranks_per_node", "SC'23 4.1, 2018 4: two sockets of 16 cores, E5-2698 v3, 2.3 GHz"},
                      {"worker_flops", "NERSC, Cori configuration: 36.8 Gflop/s a core, peak"},
                      {"memory_bandwidth", "Intel, E5-2698 v3: 68 GB/s a socket, peak"},
                      {"latency",
                       "NERSC, Cori configuration: 0.25 us to 3.7 us for MPI on Aries, inside a node to "
                       "the farthest; 1.8 us between nodes is in the middle"},
                      {"bandwidth, injection_bandwidth", "NERSC, Cori configuration: about 8 GB/s for MPI"},
                      {"eager_bytes", "Cray MPI's default"},
                      {"one_sided",
                       "estimate, from the poster's ratio: foMPI's round trip is a third of "
                       "two-sided MPI's on KNL; a fast core has less to gain"},
                      achievable_cpu(),
                      core_estimates(),
                      split()}};
}

}  // namespace trisweep::model
