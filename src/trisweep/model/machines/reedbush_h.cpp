#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine reedbush_h() {
  Machine m = gpus("reedbush-h", 2, 56, 495 * gb, 4.7e3 * gflop);
  m.sources = {{"ranks_per_node, bandwidth",
                "H-matrix paper, IV: 2 P100 a node, NVLink 2 x 20 GB/s, InfiniBand FDR 2 x 56 Gb/s"},
               p100(),
               p100_units()};
  connect(m, 40 * gb, 7 * gb, 14 * gb);
  return m;
}

}  // namespace trisweep::model
