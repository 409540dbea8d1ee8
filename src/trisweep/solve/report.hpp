#pragma once
// What was done to make a system ready to be solved.

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

// What inverting whole separators adds to inverting supernodes, with the same mapping and grid. From the
// structures alone; of factors as they are made, and (panel_bytes) as they are dealt out to ranks.
struct SeparatorsCost {
  double extra_bytes = 0;            // of the factors as they are made
  double extra_panel_bytes = 0;      // of panels dealt out, over all ranks
  double extra_panel_bytes_max = 0;  // what the fullest rank has more than the fullest rank there
  double extra_flops = 0;            // of factoring and inverting
};

// What the model said of the plans there were.
struct ModelAdvice {
  std::string machine;        // that plans were priced on
  model::Tuning tuning;       // with b and x at home: a choice does not depend on whose rows are where
  double solve_seconds = 0;   // of the choice, from b to x where the caller has them
  double vector_seconds = 0;  // of those: bringing b in and x out, on the slowest rank
  double seconds = 0;         // real time that it took
};

// Of the factorization that solves run with.
struct FactorReport {
  std::string kind;                             // of numeric::kinds()
  Offset nonzeros_l = 0;                        // of L, with its diagonal
  Offset nonzeros_u = 0;                        // 0 where U is L^T or L^H and is not stored
  std::size_t bytes = 0;                        // of the panels
  std::size_t uncompressed_bytes = 0;           // the same, where panels are as they are
  Index supernodes = 0;                         // diagonal blocks
  double flops = 0;                             // of factoring and inverting, from the structure
  bool given = false;                           // made before, see FactorSources
  std::string factorization = "own";            // or the name of SolverOptions::factorization
  double analysis_seconds = 0;                  // of ordering and structure
  double seconds = 0;                           // of factoring
  Index perturbed_pivots = 0;                   // replaced by a larger number
  Index delayed_pivots = 0;                     // eliminated in a parent's front
  std::optional<numeric::PivotSummary> pivots;  // of the matrix as it was given, where U is not stored, or
                                                // was not in the first try of a singular matrix
  double condition_estimate = not_estimated;    // as ConditionEstimate has it
  bool numerically_singular = false;            // to working precision, known with the first answer
  // Of block back substitution; 1: the matrix is factored as a whole, else the diagonal blocks of its block
  // triangular form are.
  Index block_stages = 1;
  Offset nonzeros_off_diagonal = 0;  // of A in off-diagonal blocks, which are not factored
  bool second_try = false;           // conservative pivoting: the first factors did not lead to a solution
  double compression_eps = 0;        // of panels; 0: they are as they are
  double compression_seconds = 0;    // with what was tried before
  bool compression_undone = false;   // compressed, the factors have led to no answer, or not sooner
  // By level of the separator tree, the root's first; empty where panels are as they are.
  std::vector<double> level_bytes;
  std::vector<double> uncompressed_level_bytes;  // the same, where panels are as they are
};

// Fills in what follows from the structure, whose estimate is given. Throws std::bad_alloc alone.
void describe(FactorReport& report, const symbolic::Structure& structure, numeric::Kind kind,
              const numeric::Estimates& estimate);

// The same on every rank, but for the costs of separators and the model's advice: rank 0 has these.
struct Report {
  FactorReport factor;                       // the factorization
  std::optional<SeparatorsCost> separators;  // where they are inverted as wholes
  std::optional<ModelAdvice> model;          // nothing: there was nothing to choose
  model::PlanChoice plan;                    // that solves run
  int threads = 1;                           // of each rank, in solves
  std::string_view exchange_backend{};       // of engine::exchange_backends(); empty: the processors compute
  double distribution_seconds = 0;           // of the factors to their ranks
  double plan_seconds = 0;                   // the plan and its buffers
  double setup_seconds = 0;                  // until the first solve can begin: those two, and distributing A
  double panel_bytes = 0;      // of the distributed factors, over all ranks, with what layers replicate
  double panel_bytes_max = 0;  // of the rank with most of them
};

}  // namespace trisweep::solve
