#pragma once
// The memory of the factors of a plan, and the part of it that inverting whole separators adds.

#include <optional>
#include <string>

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {

// Returns estimates of the factors with this choice of inverted diagonal blocks, without working memory.
numeric::Estimates estimate_factors(const model::PlanProblem& problem, const std::string& diagonal);

// Bytes of the factors as distributed by a plan, including replicas in layers.
struct PanelBytes {
  double all_ranks = 0;
  double fullest_rank = 0;  // maximum over ranks
};
PanelBytes panel_bytes(const model::PlanProblem& problem, const model::PlanChoice& choice);

// Returns nullopt if the plan inverts no separators, or the problem has no structure for inverted supernodes
// to compare with.
std::optional<SeparatorsCost> separators_cost(const model::PlanProblem& problem,
                                              const model::PlanChoice& choice);

}  // namespace trisweep::solve
