#pragma once
// Finds the plan whose answers are fastest in the model.
//
// search() begins with one start for each mapping, diagonal and number of layers, on the squarest grids, in
// the order of their lower bounds; a plan whose bound is above 0.98 of the best answer time found is not
// simulated.
// Then follows coordinate descent from the best starts: one axis changes at a time, the grid to its
// neighbours, as long as that helps. It takes 5 to 40 simulations, exhaustive_search() hundreds or thousands;
// docs/tune.md shows what that loses.

#include <limits>
#include <map>

#include "trisweep/core/observer.hpp"
#include "trisweep/model/plan_choice.hpp"
#include "trisweep/model/tuning.hpp"

namespace trisweep::model {

// Deterministic: of equally fast plans the first is best. Simulates at most `most` plans, one or more. Throws
// Error(usage) for a name that is not in the tables.
Tuning search(const PlanProblem& problem, const Machine& machine, const PlanAxes& axes,
              Observer& observer = silent_observer(),
              std::size_t most = std::numeric_limits<std::size_t>::max());

// Simulates every plan of the axes.
Tuning exhaustive_search(const PlanProblem& problem, const Machine& machine, const PlanAxes& axes,
                         Observer& observer = silent_observer());

}  // namespace trisweep::model
