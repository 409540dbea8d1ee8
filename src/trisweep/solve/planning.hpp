#pragma once
// The choice of a system's plan: as the caller prescribes, and the fastest in the model on open axes.

#include <memory>
#include <optional>

#include "trisweep/model/tune.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/separators.hpp"

namespace trisweep::solve {

// The problem that a plan is chosen for.
struct PlanRequest {
  model::PlanAxes axes;
  std::string machine;  // a name or a .json file; empty: the ranks at hand, on a generic machine
  ordering::Method ordering = ordering::Method::automatic;
  model::Workload workload;
  Op op = Op::none;
  Index ranks_of_node = 1;               // ranks on the node of rank 0
  int threads = 0;                       // per rank in the sweeps; 0: as the machine describes
  bool on_gpus = false;                  // sweeps run on GPUs
  bool clusters = false;                 // order supernodes by clusters, so that panels can be compressed
  distribution::RowPartition rows{};     // of b and x, in the order of the matrix
  RowNumbers numbers{};                  // of rows and columns, for messages
  ordering::Helpers* helpers = nullptr;  // ranks that help to dissect
  bool balanced = false;                 // balance the scaling, whatever the given units
};

struct PlannedSystem {
  model::PlanChoice choice;
  std::shared_ptr<const Analysis> analysis;  // the analysis for the choice
  double analysis_seconds = 0;               // of all analyses
  std::optional<SeparatorsCost> separators;
  std::optional<ModelAdvice> model;  // if the model was asked
};

// Analyzes A for this kind of factorization and chooses the plan. On one rank. The model is asked if there is
// a choice, or a machine to predict for.
template <Scalar T>
PlannedSystem plan_system(const matrix::Csr<T>& a, numeric::Kind kind, const PlanRequest& request,
                          Observer& observer);

// What a matrix is analyzed for: one analysis for each choice of the diagonal.
struct WantedAnalyses {
  std::vector<std::string> diagonals;
  std::vector<symbolic::SymbolicOptions> symbolic;  // by diagonal
  ordering::OrderingOptions ordering;
};
WantedAnalyses wanted_analyses(const PlanRequest& request);

// The same with such analyses of the matrix.
PlannedSystem plan_with(const model::ProductShare& product, const WantedAnalyses& wanted,
                        std::vector<Analysis> analyses, const PlanRequest& request, Observer& observer);

// The same for given factors, with their analysis; request.axes.diagonal must be only that of the factors.
PlannedSystem plan_with(const model::ProductShare& product, std::shared_ptr<const Analysis> analysis,
                        const PlanRequest& request, Observer& observer);

}  // namespace trisweep::solve
