#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine tsubame3() {
  Machine m = gpus("tsubame3", 4, 56, 495 * gb, 4.7e3 * gflop);
  m.sources = {
      {"ranks_per_node, bandwidth between", "H-matrix paper, IV: 4 P100 a node, Omni-Path with 4 x 100 Gb/s"},
      {"bandwidth inside", "H-matrix paper, IV: one NVLink (20 GB/s) between most pairs of GPUs"},
      p100(),
      p100_units()};
  connect(m, 20 * gb, 12.5 * gb, 50 * gb);
  return m;
}

}  // namespace trisweep::model
