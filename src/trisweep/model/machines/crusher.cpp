#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine crusher() {
  Machine m = gpus("crusher", 8, 110, gpu_stream * 1638 * gb, 23.9e3 * gflop);
  m.sources = {{"ranks_per_node", "SC'23, artifact: 4 MI250X a node, 8 compute dies; a die is a rank"},
               {"memory_bandwidth, workers, worker_flops",
                "AMD, MI250X: 3277 GB/s, 220 units and 47.9 Tflop/s double precision on two dies, peaks"},
               {"bandwidth inside", "AMD, MI250: 50 GB/s a link between dies of different GPUs, peak"},
               {"bandwidth between", "SC'23, artifact: Slingshot with 25 GB/s; OLCF: 4 of them a node"},
               achievable_gpu()};
  connect(m, 50 * gb, 25 * gb, 100 * gb);
  return m;
}

}  // namespace trisweep::model
