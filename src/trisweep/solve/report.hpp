#pragma once
// What was done to make a system ready to be solved.

#include <string>
#include <vector>

#include "trisweep/solve/planning.hpp"

namespace trisweep::solve {

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
