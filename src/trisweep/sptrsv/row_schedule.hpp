#pragma once
// An assignment with the waits of its threads: plain data that the solver executes.
//
// Each thread publishes only the number of blocks it has completed. So a block waits for at most one such
// number of each other thread, and only if it exceeds those that its thread has already waited for: barriers,
// per-row flags and transitive dependencies are all covered by this.

#include "trisweep/sptrsv/algorithms.hpp"

namespace trisweep::sptrsv {

struct Wait {
  Index thread;
  Index blocks;  // number of blocks that it must have completed
};

struct Block {
  Index row_end;   // end of its rows in ThreadSchedule::row
  Index wait_end;  // end of its waits in ThreadSchedule::wait
};

struct ThreadSchedule {
  std::vector<Index> row;
  std::vector<Block> block;
  std::vector<Wait> wait;
};
using RowSchedule = std::vector<ThreadSchedule>;

RowSchedule make_schedule(const matrix::Pattern& below, Assignment assignment);

// Costs of a thread, in seconds.
struct Costs {
  double entry = 0.4e-9;   // of work_of()
  double line = 3e-9;      // of a cache line of unknowns not in the thread's cache
  double foreign = 10e-9;  // of a cache line of unknowns in the cache of the thread that computed them
  double wait = 150e-9;    // from the end of a block until other threads see it
};

// Returns the estimated seconds of the schedule. Throws std::logic_error if its threads deadlock.
double estimate(const matrix::Pattern& below, const RowSchedule& schedule, const Costs& costs = {});

}  // namespace trisweep::sptrsv
