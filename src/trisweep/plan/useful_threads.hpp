#pragma once
// How many threads of each rank shorten a sweep, and into which tasks it is cut for them.

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::plan {

// Number of threads, from 1 to `most`, that shorten a sweep on each of `ranks` ranks for `nrhs` right-hand
// sides. Compares lower bounds of the time, in panel entries: the work per thread, with the overhead of each
// task, and the longest path of tasks. Chains of small supernodes (a band in the order of its diagonal) and
// forests of them (an arrow) get one thread; so do sweeps that take no longer than waking a thread. Throws
// only std::bad_alloc.
int useful_threads(const symbolic::Structure& structure, Index ranks, Index nrhs, int most);

// Panel entries of a task (Accumulation) where threads share a sweep, the same for any number of threads:
// grain_of_threads, or grain_of_trees if even eight threads would take longer than one without tasks. Throws
// only std::bad_alloc.
Offset task_grain(const symbolic::Structure& structure);

}  // namespace trisweep::plan
