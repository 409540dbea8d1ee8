#pragma once
// Panel entries of a task, at most about, where several workers share the panels of a rank.

#include <limits>

#include "trisweep/core/types.hpp"

namespace trisweep::plan {

// Half a megabyte of doubles: what a thread reads in about 30 microseconds, beside which a task costs
// nothing.
inline constexpr Offset grain_of_threads = 65536;
// A unit of a GPU has a hundredth of its memory bandwidth, and the panels on the critical path have to be
// shared by all units.
inline constexpr Offset grain_of_gpus = 8192;
// A task for each supernode, however small or large: as the kernels of SC'23, Algorithms 4 and 5, have a
// thread block for each.
inline constexpr Offset grain_of_supernodes = 0;
// A task for each tree of the forest of supernodes: of more entries than there are.
inline constexpr Offset grain_of_trees = std::numeric_limits<Offset>::max() / 2;

}  // namespace trisweep::plan
