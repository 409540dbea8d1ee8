#pragma once
// Which plan a system is solved with: what the caller gave, and the fastest in the model where that leaves
// something open.

#include <memory>
#include <optional>

#include "trisweep/model/tune.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/separators.hpp"

namespace trisweep::solve {

// What a plan is chosen for.
struct PlanRequest {
  model::PlanAxes axes;
  std::string machine;  // a name or a .json file; empty: the ranks at hand, on a generic machine
  ordering::Method ordering = ordering::Method::automatic;
  model::Workload workload;
  Op op = Op::none;
  Index ranks_of_node = 1;               // of rank 0's
  int threads = 0;                       // of a rank, in the sweeps; 0: as the machine has it
  bool on_gpus = false;                  // who sweeps
  bool clusters = false;                 // supernodes in their order, so that panels can be compressed
  distribution::RowPartition rows{};     // who has which rows of b and x, in the order of the matrix
  RowNumbers numbers{};                  // of rows and columns, for messages
  ordering::Helpers* helpers = nullptr;  // who dissects, too
  bool balanced = false;                 // scaling in balanced units whatever the given ones are
};

struct PlannedSystem {
  model::PlanChoice choice;
  std::shared_ptr<const Analysis> analysis;  // that the choice needs
  double analysis_seconds = 0;               // of all that was analyzed to choose from
  std::optional<SeparatorsCost> separators;
  std::optional<ModelAdvice> model;  // when it was asked
};

// Analyzes A for that kind of factorization and chooses. On one rank. The model is asked when there is a
// choice, or a machine to predict for.
template <Scalar T>
PlannedSystem plan_system(const matrix::Csr<T>& a, numeric::Kind kind, const PlanRequest& request,
                          Observer& observer);

// The same for given factors: with their analysis, and their choice of the diagonal, which must be the
// request's only one.
PlannedSystem plan_with(const model::ProductShare& product, std::shared_ptr<const Analysis> analysis,
                        const PlanRequest& request, Observer& observer);

}  // namespace trisweep::solve
