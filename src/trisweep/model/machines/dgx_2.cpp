#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine dgx_2() {
  Machine m = gpus("dgx-2", 16, 80, gpu_stream * 900 * gb, 7.8e3 * gflop);
  m.sources = {{"ranks_per_node, bandwidth inside",
                "zero-copy paper, VI: 16 V100 all to all through NVSwitch with about 100 GB/s"},
               v100(),
               achievable_gpu()};
  connect(m, 100 * gb, 12.5 * gb, 100 * gb);
  m.sources.push_back({"bandwidth between", "NVIDIA, DGX-2: 8 InfiniBand EDR interfaces of 100 Gb/s"});
  return m;
}

}  // namespace trisweep::model
