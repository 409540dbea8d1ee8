#pragma once
// Which plan a run of `trisweep solve` has: what the user gave, and the fastest in the model where that
// leaves something open.

#include <memory>
#include <optional>

#include "solve_job.hpp"
#include "trisweep/report/separators.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::cli {

// What a plan is chosen for.
struct PlanRequest {
  const SolveOptions& options;
  model::Workload workload;
  Index ranks = 1;
  Index ranks_of_node = 1;  // of rank 0's
};

struct SolvePlan {
  model::PlanChoice choice;
  std::shared_ptr<const solve::Analysis> analysis;  // that the choice needs
  double analysis_seconds = 0;                      // of all that was analyzed to choose from
  std::optional<report::SeparatorsRecord> separators;
  std::optional<report::ModelRecord> model;  // when it was asked
};

// Analyzes A for that kind of factorization and chooses. On one rank.
template <Scalar T>
SolvePlan plan_solve(const matrix::Csr<T>& a, numeric::Kind kind, const PlanRequest& request,
                     Observer& observer);

}  // namespace trisweep::cli
