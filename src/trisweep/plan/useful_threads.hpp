#pragma once
// How many threads of each rank gain time in a sweep.

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::plan {

// Of at most `most` threads of each of `ranks` ranks, one or more, for `nrhs` right-hand sides. A lower bound
// of the time, in panel entries: the work over all threads, with what each task costs beside its panels, and
// the longest path of tasks. Chains of small supernodes (a band in the order of its diagonal) and forests of
// them (an arrow) are one thread's; so are sweeps that take as long as to wake a thread. Throws
// std::bad_alloc alone.
int useful_threads(const symbolic::Structure& structure, Index ranks, Index nrhs, int most);

}  // namespace trisweep::plan
