#pragma once
// Finds the plan whose answers are fastest in the model.
//
// search(): from one start for each mapping, diagonal and number of layers, with the squarest grids, those of
// the least lower bounds first; a plan whose bound is above 0.98 of the best time of an answer found is not
// simulated.
// Then coordinate descent from the best starts: one axis changes at a time, the grid to its neighbours, as
// long as that helps. Some 5 to 40 simulations, where exhaustive_search() has hundreds or thousands;
// docs/tune.md has what that loses.

#include <map>

#include "trisweep/core/observer.hpp"
#include "trisweep/model/plan_choice.hpp"

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

// Deterministic: of equally fast plans the one that came first. Throws Error(usage) for a name that is not
// in the tables.
Tuning search(const PlanProblem& problem, const Machine& machine, const PlanAxes& axes,
              Observer& observer = silent_observer());

// Simulates every plan of the axes.
Tuning exhaustive_search(const PlanProblem& problem, const Machine& machine, const PlanAxes& axes,
                         Observer& observer = silent_observer());

}  // namespace trisweep::model
