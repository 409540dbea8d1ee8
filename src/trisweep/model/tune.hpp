#pragma once
// Finds the plan whose answers are fastest in the model.
//
// search(): from one start for each mapping, diagonal and number of layers, with the squarest grids, those of
// the least lower bounds first; a plan whose bound is above 0.98 of the best time of an answer found is not
// simulated.
// Then coordinate descent from the best starts: one axis changes at a time, the grid to its neighbours, as
// long as that helps. Some 5 to 40 simulations, where exhaustive_search() has hundreds or thousands;
// docs/tune.md has what that loses.

#include <limits>
#include <map>

#include "trisweep/core/observer.hpp"
#include "trisweep/model/plan_choice.hpp"
#include "trisweep/model/tuning.hpp"

namespace trisweep::model {

// Deterministic: of equally fast plans the one that came first. Simulates `most` plans at most, one or more.
// Throws Error(usage) for a name that is not in the tables.
Tuning search(const PlanProblem& problem, const Machine& machine, const PlanAxes& axes,
              Observer& observer = silent_observer(),
              std::size_t most = std::numeric_limits<std::size_t>::max());

// Simulates every plan of the axes.
Tuning exhaustive_search(const PlanProblem& problem, const Machine& machine, const PlanAxes& axes,
                         Observer& observer = silent_observer());

}  // namespace trisweep::model
