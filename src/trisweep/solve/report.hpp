#pragma once
// Report of the preparation of a system for solves: factorization, plan, memory and times.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/model/tuning.hpp"
#include "trisweep/numeric/pivot_summary.hpp"
#include "trisweep/solve/accuracy.hpp"

namespace trisweep::symbolic {
struct Structure;
}
namespace trisweep::numeric {
struct Estimates;
}

namespace trisweep::solve {

// Extra cost of inverting whole separators instead of supernodes, with the same mapping and grid, computed
// from the structures alone: for the factors, and (panel_bytes) for the panels distributed to ranks.
struct SeparatorsCost {
  double extra_bytes = 0;            // of the factors, before distribution
  double extra_panel_bytes = 0;      // of the distributed panels, over all ranks
  double extra_panel_bytes_max = 0;  // difference of the maxima over ranks of the distributed panels
  double extra_flops = 0;            // of factoring and inverting
};

// The model's prices of the possible plans.
struct ModelAdvice {
  std::string machine;        // that plans were priced for
  model::Tuning tuning;       // for b and x distributed as the plan needs, not as the caller has them
  double solve_seconds = 0;   // predicted for the chosen plan, from b to x as the caller distributes them
  double vector_seconds = 0;  // part of it that redistributes b and x, on the slowest rank
  double seconds = 0;         // wall time of pricing
};

// The factorization used in solves.
struct FactorReport {
  std::string kind;                             // of numeric::kinds()
  Offset nonzeros_l = 0;                        // of L, with its diagonal
  Offset nonzeros_u = 0;                        // 0 where U is L^T or L^H and is not stored
  std::size_t bytes = 0;                        // of the panels, as stored
  std::size_t uncompressed_bytes = 0;           // of the panels, without compression
  Index supernodes = 0;                         // diagonal blocks
  double flops = 0;                             // of factoring and inverting, from the structure
  bool given = false;                           // factors were given, see FactorSources
  std::string factorization = "own";            // or the name of SolverOptions::factorization
  double analysis_seconds = 0;                  // of ordering and structure
  double seconds = 0;                           // of factoring
  Index perturbed_pivots = 0;                   // pivots replaced by larger values
  Index delayed_pivots = 0;                     // pivots eliminated in a parent's front
  std::optional<numeric::PivotSummary> pivots;  // of the caller's matrix, if U is not stored; of a singular
                                                // matrix also if U was not stored in the first try
  double condition_estimate = not_estimated;    // see ConditionEstimate
  bool numerically_singular = false;            // to working precision; set with the first answer
  // Stages of block back substitution; 1: the whole matrix is factored, otherwise the diagonal blocks of its
  // block triangular form.
  Index block_stages = 1;
  Offset nonzeros_off_diagonal = 0;  // of A in off-diagonal blocks, which are not factored
  bool low_precision = false;        // factors in half the precision of the system
  bool second_try = false;           // conservative pivoting, see next_attempt() (attempt.hpp)
  double compression_eps = 0;        // relative error of each panel; 0: uncompressed
  double compression_seconds = 0;    // including discarded attempts
  bool compression_undone = false;   // compressed factors gave no accepted solution, or no faster solves
  // By level of the separator tree, from the root; empty for uncompressed panels.
  std::vector<double> level_bytes;
  std::vector<double> uncompressed_level_bytes;  // the same, without compression
};

// Sets the fields of `report` that follow from `structure` and its `estimate`. Throws only std::bad_alloc.
void describe(FactorReport& report, const symbolic::Structure& structure, numeric::Kind kind,
              const numeric::Estimates& estimate);

// The same on every rank, except `separators` and `model`, which are set on rank 0 only.
struct Report {
  FactorReport factor;                       // the factorization
  std::optional<SeparatorsCost> separators;  // set if whole separators are inverted
  std::optional<ModelAdvice> model;          // unset: there was only one possible plan
  model::PlanChoice plan;                    // plan of the solves
  int threads = 1;                           // of each rank, in solves
  std::string_view exchange_backend{};       // of engine::exchange_backends(); empty: no device is used
  double distribution_seconds = 0;           // distribution of the factors to their ranks
  double plan_seconds = 0;                   // the plan and its buffers
  double setup_seconds = 0;    // until the first solve can begin: these two and the distribution of A
  double panel_bytes = 0;      // of the distributed factors, over all ranks, including replicas in layers
  double panel_bytes_max = 0;  // maximum over ranks
};

}  // namespace trisweep::solve
