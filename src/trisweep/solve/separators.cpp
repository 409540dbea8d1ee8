#include "trisweep/solve/separators.hpp"

#include <algorithm>
#include <numeric>

#include "trisweep/distribution/storage.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::solve {

numeric::Estimates estimate_factors(const model::PlanProblem& problem, const std::string& diagonal) {
  const auto kind = problem.upper_is_lower ? numeric::Kind::cholesky : numeric::Kind::lu;
  return numeric::estimate_factors(*problem.structure_for(diagonal), kind, problem.workload.stored_bytes);
}

PanelBytes panel_bytes(const model::PlanProblem& problem, const model::PlanChoice& choice) {
  const model::ChosenPlan plan(problem, choice);
  const auto values = distribution::stored_values(*plan.structure, *plan.mapping, problem.upper_is_lower);
  const auto bytes = static_cast<double>(problem.workload.stored_bytes);
  return {.all_ranks = bytes * double(std::reduce(values.begin(), values.end())),
          .fullest_rank = bytes * double(std::ranges::max(values))};
}

std::optional<SeparatorsCost> separators_cost(const model::PlanProblem& problem,
                                              const model::PlanChoice& choice) {
  model::PlanChoice plain = choice;
  plain.diagonal = symbolic::diagonals().front().name;
  const bool comparable =
      std::ranges::find(problem.analyzed, plain.diagonal, &model::PlanProblem::Analyzed::diagonal) !=
      problem.analyzed.end();
  if (choice.diagonal == plain.diagonal || !comparable) return std::nullopt;
  const auto ours = estimate_factors(problem, choice.diagonal);
  const auto other = estimate_factors(problem, plain.diagonal);
  const PanelBytes our_panels = panel_bytes(problem, choice), others = panel_bytes(problem, plain);
  return SeparatorsCost{.extra_bytes = double(ours.factor_bytes) - double(other.factor_bytes),
                        .extra_panel_bytes = our_panels.all_ranks - others.all_ranks,
                        .extra_panel_bytes_max = our_panels.fullest_rank - others.fullest_rank,
                        .extra_flops = ours.all_flops() - other.all_flops()};
}

}  // namespace trisweep::solve
