#pragma once
// How fast a plan can be at best, from the blocks and the messages of each rank alone: a small part of the
// work of making its plans and simulating them.

#include "trisweep/model/plan_choice.hpp"

namespace trisweep::model {

// Seconds that no simulation of the plan falls below: the busiest rank multiplies all of its values and
// handles all of its messages one after another, and the slowest memory streams what its ranks touch.
double lower_bound(const ChosenPlan& chosen, const Machine& machine, const Network& network,
                   const Workload& workload);

}  // namespace trisweep::model
