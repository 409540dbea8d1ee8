#pragma once
// What it costs to store the factors of a plan, and what of that inverting whole separators adds.

#include <optional>

#include "trisweep/model/plan_choice.hpp"

namespace trisweep::solve {

// The factors as a plan deals them out, what layers replicate included; in bytes.
struct PanelBytes {
  double all_ranks = 0;
  double fullest_rank = 0;
};
PanelBytes panel_bytes(const model::PlanProblem& problem, const model::PlanChoice& choice);

// What inverting whole separators adds to inverting supernodes, with the same mapping and grid. From the
// structures alone; of factors as they are made, and (panel_bytes) as they are dealt out to ranks.
struct SeparatorsCost {
  double extra_bytes = 0;
  double extra_panel_bytes = 0;
  double extra_panel_bytes_max = 0;  // what the fullest rank has more than the fullest rank there
  double extra_flops = 0;            // of factoring and inverting
};

// Nullopt when the plan inverts no separators, or the problem has no structure for inverted supernodes that
// they could be compared with.
std::optional<SeparatorsCost> separators_cost(const model::PlanProblem& problem,
                                              const model::PlanChoice& choice);

}  // namespace trisweep::solve
