#pragma once
#include <limits>

#include "trisweep/core/types.hpp"

namespace trisweep::model {

// How GPUs of a node are connected. SI units.
struct GpuNode {
  Index gpus = 1;
  Index gpus_per_bus = 1;                                    // to the host's memory: neighbours share one
  double to_host = std::numeric_limits<double>::infinity();  // bytes per second of a bus
  double to_gpu = std::numeric_limits<double>::infinity();
  double copy = std::numeric_limits<double>::infinity();       // from GPU to GPU by way of the buses
  double peer = std::numeric_limits<double>::infinity();       // by a direct link, one for each pair
  double wide_peer = std::numeric_limits<double>::infinity();  // of GPUs g and g + gpus / 2
  double launch_seconds = 0;                                   // of a kernel, after the one before
  Index resident_blocks = 1;                                   // of 256 threads, on each unit
};

}  // namespace trisweep::model
