#pragma once
// Approximate upper bounds on the panel entries of a task, where several workers share the panels of a rank.

#include <limits>

#include "trisweep/core/types.hpp"

namespace trisweep::plan {

// Half a megabyte of doubles: a thread reads them in about 30 microseconds, against which the overhead of a
// task is negligible.
inline constexpr Offset grain_of_threads = 65536;
// A compute unit of a GPU has a hundredth of the memory bandwidth, and the panels on the critical path have
// to be shared by all units.
inline constexpr Offset grain_of_gpus = 8192;
// A task for each supernode, however small or large, as in SC'23, Algorithms 4 and 5, whose kernels have a
// thread block for each.
inline constexpr Offset grain_of_supernodes = 0;
// A task for each tree of the forest of supernodes: more than any number of entries.
inline constexpr Offset grain_of_trees = std::numeric_limits<Offset>::max() / 2;

}  // namespace trisweep::plan
