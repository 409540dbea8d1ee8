#pragma once
// The result of a search for the fastest plan.

#include <vector>

#include "trisweep/model/plan_axes.hpp"

namespace trisweep::model {

// A plan with its price.
struct Candidate {
  PlanChoice choice;
  double seconds = 0;         // of a sweep
  double answer_seconds = 0;  // of an answer without corrections: plans are ranked by it
  double bandwidth_floor = 0;
  double path_task_seconds = 0;    // of the critical path
  double path_flight_seconds = 0;  // the rest is overheads of messages
};

// A plan that was not simulated: it cannot beat the best by more than 2 %, or enough others were simulated.
struct RuledOut {
  PlanChoice choice;
  double lower_bound = 0;  // of a sweep
};

struct Tuning {
  std::vector<Candidate> candidates;  // the fastest first
  std::vector<RuledOut> ruled_out;    // the lowest bound first
  // A sweep of the best plan with the right-hand sides in two halves, one after the other; 0 for a single
  // one.
  double halves_seconds = 0;

  const Candidate& best() const { return candidates.front(); }
};

}  // namespace trisweep::model
