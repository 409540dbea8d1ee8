#include "trisweep/core/occupancy.hpp"
#include "trisweep/model/machines/figures.hpp"

namespace trisweep::model {

Machine reedbush_h() {
  Machine m = gpus("reedbush-h", 2, 56, 495 * gb, 4.7e3 * gflop);
  m.sources = {{"ranks_per_node, bandwidth",
                "H-matrix paper, IV: 2 P100 a node, NVLink 2 x 20 GB/s, InfiniBand FDR 2 x 56 Gb/s"},
               p100(),
               p100_units()};
  connect(m, 40 * gb, 7 * gb, 14 * gb);
  m.gpu_node = {.gpus = 2,
                .gpus_per_bus = 1,
                .to_host = 11.1 * gb,
                .to_gpu = 12.9 * gb,
                .copy = 9.9 * gb,
                .peer = 31 * gb,
                .wide_peer = 31 * gb,
                .launch_seconds = p100_launch,
                .resident_blocks = resident_blocks_of("RunBatch<double>")};
  m.sources.push_back({"gpu_node: to_host, to_gpu", "H-matrix paper, IV: observed 11.1 and 12.9 GB/s"});
  m.sources.push_back({"gpu_node: copy, peer",
                       "as on Tsubame-3 (H-matrix paper, Fig. 12) over separate buses and two NVLinks"});
  m.sources.push_back(p100_blocks());
  return m;
}

}  // namespace trisweep::model
