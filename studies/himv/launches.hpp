#pragma once
// Price of kernels with many blocks of threads on a GPU: launches in streams, whose blocks are scheduled on
// its multiprocessors.

#include <span>
#include <vector>

#include "trisweep/model/machine.hpp"

namespace trisweep::studies {

// Bytes that each block reads, in the order in which blocks start; 0: the block ends at once.
struct Launch {
  std::vector<float> bytes;
  double threads = 256;  // per block
  Index stream = 0;
  Index type = 0;  // runs after all launches of smaller types
};

// Time of launches. A block starts as soon as an earlier one has ended. It reads as fast as its threads can,
// a fraction of what a multiprocessor can read alone; all together are limited by the memory's bandwidth.
// Throws Error(usage) if the machine has no description of its GPUs.
double launch_seconds(const model::Machine& machine, std::span<const Launch> launches);

}  // namespace trisweep::studies
