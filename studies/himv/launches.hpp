#pragma once
// Kernels of many blocks of threads on a GPU: launches in streams, whose blocks take turns on its units.

#include <span>
#include <vector>

#include "trisweep/model/machine.hpp"

namespace trisweep::studies {

// Blocks with so many bytes each to read, in the order in which they start; 0: it ends at once.
struct Launch {
  std::vector<float> bytes;
  double threads = 256;  // of a block
  Index stream = 0;
  Index type = 0;  // after all launches of the types before
};

// Blocks start in order, as soon as one is through. One reads as fast as its threads can, which is a share of
// what a unit alone reads; all together at most the memory's bandwidth. Throws Error(usage) where the machine
// has no description of its GPUs.
double launch_seconds(const model::Machine& machine, std::span<const Launch> launches);

}  // namespace trisweep::studies
