#pragma once
#include <limits>

#include "trisweep/core/types.hpp"

namespace trisweep::model {

// How GPUs of a node are connected. SI units.
struct GpuNode {
  Index gpus = 1;
  Index gpus_per_bus = 1;                                    // neighbours that share a bus to host memory
  double to_host = std::numeric_limits<double>::infinity();  // bytes per second over a bus
  double to_gpu = std::numeric_limits<double>::infinity();
  double copy = std::numeric_limits<double>::infinity();       // from GPU to GPU over the buses
  double peer = std::numeric_limits<double>::infinity();       // over a direct link, one for each pair
  double wide_peer = std::numeric_limits<double>::infinity();  // between GPUs g and g + gpus / 2
  double launch_seconds = 0;                                   // of a kernel, after the previous one ended
  Index resident_blocks = 1;                                   // of 256 threads, per compute unit
};

}  // namespace trisweep::model
