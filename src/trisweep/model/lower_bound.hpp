#pragma once
// A lower bound of a plan's time, from the blocks and messages of each rank alone: much cheaper than making
// the plans of all ranks and simulating them.

#include "trisweep/model/plan_choice.hpp"

namespace trisweep::model {

// Seconds that no simulation of the plan falls below: the workers of the busiest rank multiply all its values
// and handle all its messages, and the slowest memory streams what its ranks touch.
double lower_bound(const ChosenPlan& chosen, const Machine& machine, const Network& network,
                   const Workload& workload);

}  // namespace trisweep::model
