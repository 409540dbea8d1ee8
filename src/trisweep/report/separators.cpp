#include "trisweep/report/separators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trisweep/distribution/storage.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/report/text.hpp"
#include "trisweep/symbolic/diagonals.hpp"

namespace trisweep::report {
namespace {

numeric::Estimates estimate(const model::PlanProblem& problem, const std::string& diagonal) {
  const auto kind = problem.cholesky ? numeric::Kind::cholesky : numeric::Kind::lu;
  return numeric::estimate(*problem.structure_for(diagonal), kind, problem.workload.scalar_bytes);
}

double percent(double extra, double whole) {
  return 100 * extra / (whole - extra);
}

// Of so many bytes in all.
std::string more(double extra, double whole) {
  return fmt::format("{}{} ({:+.1f} %)", extra < 0 ? '-' : '+', bytes(std::abs(extra)),
                     percent(extra, whole));
}

}  // namespace

PanelBytes panel_bytes(const model::PlanProblem& problem, const model::PlanChoice& choice) {
  const model::ChosenPlan plan(problem, choice);
  const auto values = distribution::stored_values(*plan.structure, *plan.mapping, problem.cholesky);
  const auto bytes = static_cast<double>(problem.workload.scalar_bytes);
  return {.all_ranks = bytes * double(std::reduce(values.begin(), values.end())),
          .fullest_rank = bytes * double(std::ranges::max(values))};
}

std::optional<SeparatorsRecord> separators_record(const model::PlanProblem& problem,
                                                  const model::PlanChoice& choice) {
  model::PlanChoice plain = choice;
  plain.diagonal = symbolic::diagonals().front().name;
  const bool comparable =
      std::ranges::find(problem.analyzed, plain.diagonal, &model::PlanProblem::Analyzed::diagonal) !=
      problem.analyzed.end();
  if (choice.diagonal == plain.diagonal || !comparable) return std::nullopt;
  const auto ours = estimate(problem, choice.diagonal), other = estimate(problem, plain.diagonal);
  const PanelBytes our_panels = panel_bytes(problem, choice), others = panel_bytes(problem, plain);
  return SeparatorsRecord{.extra_bytes = double(ours.factor_bytes) - double(other.factor_bytes),
                          .extra_panel_bytes = our_panels.all_ranks - others.all_ranks,
                          .extra_panel_bytes_max = our_panels.fullest_rank - others.fullest_rank,
                          .extra_flops = ours.all_flops() - other.all_flops()};
}

std::string separators_in_words(const RunRecord& r) {
  const SeparatorsRecord& s = r.separators.value();
  return fmt::format("{} of factors, {} on the fullest rank, {:+.1f} % work to factor",
                     more(s.extra_bytes, double(r.factor.bytes)),
                     more(s.extra_panel_bytes_max, r.solve.panel_bytes_max),
                     percent(s.extra_flops, r.factor.flops));
}

}  // namespace trisweep::report
