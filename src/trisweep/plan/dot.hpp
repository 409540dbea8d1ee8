#pragma once
// A plan as a picture, for Graphviz.

#include <string>

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

// The dataflow graph of a whole solve, a box per phase and layer: segments (ellipses, named supernode@rank; a
// final one, and the sums that lead to it), the pieces of panels that turn one into another (boxes), messages
// as bold edges; exchanges between layers, and bringing vectors in and out, as edges between ranks. Throws
// Error(usage) when that would be more than a page can show: beyond 1000 nodes.
std::string to_dot(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                   Schedule schedule, const PlanSpec& spec);

}  // namespace trisweep::plan
