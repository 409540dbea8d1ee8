#pragma once
// A plan as a picture, for Graphviz.

#include <string>

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

// The dataflow graph of a whole solve, with a frame per phase and layer: segments as ellipses named
// supernode@rank (final values, and the sums that lead to them), pieces of panels as boxes between them,
// messages as bold edges; exchanges between layers, and bringing vectors in and out, as edges between ranks.
// Throws Error(usage) beyond 1000 nodes, more than a page can show.
std::string to_dot(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                   Schedule schedule, const PlanSpec& spec);

}  // namespace trisweep::plan
