#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine perlmutter_gpu() {
  Machine m = gpus("perlmutter-gpu", 4, 108, gpu_stream * 1555 * gb, 9.7e3 * gflop);
  m.sources = {
      {"ranks_per_node", "SC'23 4.2: 4 A100 a node"},
      {"memory_bandwidth, workers, worker_flops",
       "NVIDIA, A100 40 GB: 1555 GB/s, 108 units, 9.7 Tflop/s double precision, peaks"},
      {"bandwidth, injection_bandwidth",
       "SC'23 4.2.2: 300 GB/s inside a node and 12.5 GB/s between nodes, per direction and GPU, peak"},
      achievable_gpu()};
  connect(m, 300 * gb, 12.5 * gb, 50 * gb);
  return m;
}

}  // namespace trisweep::model
