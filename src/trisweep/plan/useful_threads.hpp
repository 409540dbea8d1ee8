#pragma once
// How many threads of each rank gain time in a sweep, and what it is cut into for them.

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::plan {

// Of at most `most` threads of each of `ranks` ranks, one or more, for `nrhs` right-hand sides. A lower bound
// of the time, in panel entries: the work over all threads, with what each task costs beside its panels, and
// the longest path of tasks. Chains of small supernodes (a band in the order of its diagonal) and forests of
// them (an arrow) are one thread's; so are sweeps that take as long as to wake a thread. Throws
// std::bad_alloc alone.
int useful_threads(const symbolic::Structure& structure, Index ranks, Index nrhs, int most);

// Panel entries of a task (Accumulation) where threads share a sweep, the same for any number of them:
// grain_of_threads, or grain_of_trees where even eight threads would take longer than one does without tasks.
// Throws std::bad_alloc alone.
Offset task_grain(const symbolic::Structure& structure);

}  // namespace trisweep::plan
