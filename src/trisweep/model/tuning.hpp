#pragma once
// What a search for the fastest plan has found.

#include <vector>

#include "trisweep/model/plan_axes.hpp"

namespace trisweep::model {

// A plan with its price.
struct Candidate {
  PlanChoice choice;
  double seconds = 0;         // of a sweep
  double answer_seconds = 0;  // of one that needs no correction: what plans are ranked by
  double bandwidth_floor = 0;
  double path_task_seconds = 0;    // of the critical path
  double path_flight_seconds = 0;  // the rest is overheads of messages
};

// A plan that was not simulated, for its answers cannot be faster than the best's by more than 2 %.
struct RuledOut {
  PlanChoice choice;
  double lower_bound = 0;  // of a sweep
};

struct Tuning {
  std::vector<Candidate> candidates;  // the fastest first
  std::vector<RuledOut> ruled_out;    // the lowest bound first
  // The best plan with its right-hand sides in two halves, one after the other; 0 when there is only one.
  double halves_seconds = 0;

  const Candidate& best() const { return candidates.front(); }
};

}  // namespace trisweep::model
