#pragma once
// The memory of the factors of a plan, and the part of it that inverting whole separators adds.

#include <optional>
#include <string>

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {

// Of the factorization that a diagonal needs, without what it needs besides the factors.
numeric::Estimates estimate_factors(const model::PlanProblem& problem, const std::string& diagonal);

// The factors as a plan deals them out, what layers replicate included; in bytes.
struct PanelBytes {
  double all_ranks = 0;
  double fullest_rank = 0;
};
PanelBytes panel_bytes(const model::PlanProblem& problem, const model::PlanChoice& choice);

// Nullopt when the plan inverts no separators, or the problem has no structure for inverted supernodes that
// they could be compared with.
std::optional<SeparatorsCost> separators_cost(const model::PlanProblem& problem,
                                              const model::PlanChoice& choice);

}  // namespace trisweep::solve
