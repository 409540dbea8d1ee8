#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

// No particular machine: for ranks of which nothing is known.
Machine generic() {
  Machine m{
      .name = "generic",
      .device = "cpu",
      .ranks_per_node = 64,
      .ranks_per_memory = 32,
      .worker_bandwidth = 12 * gb,
      .memory_bandwidth = 160 * gb,
      .worker_flops = 8 * gflop,
      .dgemm_flops = 25 * gflop,
      .task_seconds = 60 * ns,
      .product_seconds = 40 * ns,
      .injection_bandwidth = 12 * gb,
      .two_sided = {.inside = {0.3 * us, 8 * gb, 0.2 * us, 0.2 * us},
                    .between = {1.2 * us, 12 * gb, 0.4 * us, 0.4 * us},
                    .eager_bytes = 8192},
      .sources = {{"everything",
                   "round numbers of the order of a server of two sockets in the 2020s and its network; "
                   "which transport is faster is not known, they are taken to be alike"}}};
  m.one_sided = m.shared = m.two_sided;
  return m;
}

}  // namespace trisweep::model
