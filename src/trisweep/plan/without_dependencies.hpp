#pragma once
#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// The plan with its dependencies taken out (2018 paper, section 2.2: fmod(K) = 0 for all K): every segment
// counts as complete from the start, and is sent on at once; tasks wait for nothing but messages. The same
// messages and the same work; the solution is meaningless.
Plan without_dependencies(Plan plan);

}  // namespace trisweep::plan
