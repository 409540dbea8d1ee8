#include "trisweep/core/occupancy.hpp"
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
  m.gpu_node = {.gpus = 4,
                .gpus_per_bus = 2,
                .to_host = 12.2 * gb,
                .to_gpu = 12.2 * gb,
                .copy = 9.6 * gb,
                .peer = 18.5 * gb,
                .wide_peer = 31 * gb,
                .launch_seconds = p100_launch,
                .resident_blocks = resident_blocks_of("RunBatch<double>")};
  m.sources.push_back(
      {"gpu_node: bandwidths",
       "H-matrix paper, Fig. 12 and 13(a): between GPUs and to one GPU; of copies the average"});
  m.sources.push_back(p100_blocks());
  return m;
}

}  // namespace trisweep::model
