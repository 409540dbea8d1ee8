#pragma once
#include "trisweep/model/machine.hpp"

namespace trisweep::model {

// Seconds of an all-reduce of `bytes` by recursive doubling, within nodes and then between them.
double all_reduce_seconds(const Machine& machine, Index nodes, Index ranks_of_node, double bytes = 0);

}  // namespace trisweep::model
