#pragma once
// What was done to make a system ready to be solved.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/model/tuning.hpp"

namespace trisweep::symbolic {
struct Structure;
}
namespace trisweep::numeric {
enum class Kind;
}

namespace trisweep::solve {

// What inverting whole separators adds to inverting supernodes, with the same mapping and grid. From the
// structures alone; of factors as they are made, and (panel_bytes) as they are dealt out to ranks.
struct SeparatorsCost {
  double extra_bytes = 0;
  double extra_panel_bytes = 0;
  double extra_panel_bytes_max = 0;  // what the fullest rank has more than the fullest rank there
  double extra_flops = 0;            // of factoring and inverting
};

// What the model said of the plans there were.
struct ModelAdvice {
  std::string machine;
  model::Tuning tuning;       // with b and x at home: a choice does not depend on whose rows are where
  double solve_seconds = 0;   // of the choice, from b to x where the caller has them
  double vector_seconds = 0;  // of those: bringing b in and x out, on the slowest rank
  double seconds = 0;         // real time that it took
};

struct FactorReport {
  std::string kind;  // "lu" or "cholesky"
  Offset nonzeros_l = 0;
  Offset nonzeros_u = 0;  // 0 for Cholesky: U is L^H and is not stored
  std::size_t bytes = 0;
  std::size_t uncompressed_bytes = 0;  // the same, where panels are as they are
  Index supernodes = 0;
  double flops = 0;  // of factoring and inverting, from the structure
  double analysis_seconds = 0;
  double seconds = 0;
  Index perturbed_pivots = 0;
  Index delayed_pivots = 0;
  // Known with the first answer.
  double condition_estimate = 0;  // 1-norm, of the scaled matrix; may be infinite
  bool numerically_singular = false;
  bool second_try = false;          // conservative pivoting: the first factors did not lead to a solution
  double compression_eps = 0;       // of panels; 0: they are as they are
  double compression_seconds = 0;   // with what was tried before
  bool compression_undone = false;  // compressed, the factors have led to no answer, or not sooner
  // By level of the separator tree, the root's first; empty where panels are as they are.
  std::vector<double> level_bytes, uncompressed_level_bytes;
};

// Fills in what follows from the structure.
void describe(FactorReport& report, const symbolic::Structure& structure, numeric::Kind kind,
              std::size_t stored_bytes);

// Complete on rank 0; on the others the plan and what comes after it.
struct Report {
  FactorReport factor;
  std::optional<SeparatorsCost> separators;
  std::optional<ModelAdvice> model;  // nothing: there was nothing to choose
  model::PlanChoice plan;
  std::string_view exchange_backend{};  // of engine::carriers(); empty: the processors compute
  double distribution_seconds = 0;      // of the factors to their ranks
  double plan_seconds = 0;              // the plan and its buffers
  double setup_seconds = 0;             // until the first solve can begin: those two, and distributing A
  double panel_bytes = 0;      // of the distributed factors, over all ranks, with what layers replicate
  double panel_bytes_max = 0;  // of the rank with most of them
};

}  // namespace trisweep::solve
