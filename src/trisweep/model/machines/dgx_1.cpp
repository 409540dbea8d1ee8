#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine dgx_1() {
  Machine m = gpus("dgx-1", 8, 80, gpu_stream * 900 * gb, 7.8e3 * gflop);
  m.sources = {{"ranks_per_node, bandwidth inside",
                "zero-copy paper, VI: 8 V100, NVLinks with 64 GB/s at most between GPUs"},
               v100(),
               achievable_gpu()};
  connect(m, 64 * gb, 12.5 * gb, 50 * gb);
  m.sources.push_back({"bandwidth between", "NVIDIA, DGX-1: 4 InfiniBand EDR interfaces of 100 Gb/s"});
  return m;
}

}  // namespace trisweep::model
