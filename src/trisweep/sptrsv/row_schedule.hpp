#pragma once
// An assignment with what its threads wait for: plain data that the solver runs.
//
// Threads tell one another how many blocks they have ended, and nothing else. So a block waits for at most
// one number of each other thread, and only when that is more than the thread has waited for before:
// barriers, flags of rows, and the dependencies among them that follow from others are all covered by that.

#include "trisweep/sptrsv/algorithms.hpp"

namespace trisweep::sptrsv {

struct Wait {
  Index thread;
  Index blocks;  // that it must have ended
};

struct Block {
  Index row_end;   // into ThreadSchedule::row
  Index wait_end;  // into ThreadSchedule::wait
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
  double line = 3e-9;      // of unknowns that the thread's cache does not have
  double foreign = 10e-9;  // of such, where another thread computed them: they are in that one's cache
  double wait = 150e-9;    // from the end of a block to its being known elsewhere
};

// Seconds that the schedule takes. Throws std::logic_error when its threads wait for one another.
double estimate(const matrix::Pattern& below, const RowSchedule& schedule, const Costs& costs = {});

}  // namespace trisweep::sptrsv
