#pragma once
// Acceptance of corrections, and the end of refinement: decided from errors alone, independently of how
// corrections are computed (Skeel 1980; Arioli, Demmel and Duff 1989).

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/solve/accuracy.hpp"

namespace trisweep::solve {

// The error of a right-hand side that corrections are to reduce.
using ErrorMeasure = double (*)(const ColumnError&);
double arioli_demmel_duff(const ColumnError& e);
double componentwise(const ColumnError& e);
double of_small_unknowns(const ColumnError& e);

// RefinementOptions as limits for vectors of one precision.
struct RefinementLimits {
  double target, acceptable;
  int steps;
  ErrorMeasure of_small;        // error of unknowns far below the largest
  double small, small_at_most;  // up to which that is not corrected by the factors, or by other means
  bool best;
  bool replaceable;

  template <Scalar T>
  static RefinementLimits of(const RefinementOptions& options);

  bool accepts(const ColumnError& e) const { return arioli_demmel_duff(e) <= target && of_small(e) <= small; }
};

// The operations of a correction.
struct CorrectionStep {
  std::function<std::vector<ColumnError>()> correct;  // computes a candidate solution; returns its errors
  std::function<void(std::span<const Index>)> take;   // accepts these columns of the candidate
  std::function<void()> measure;                      // recomputes the residual of the current solution
};

// Right-hand sides that are corrected together. Allocates only before a step's reductions.
class CorrectedColumns {
 public:
  // `errors`: those of the current solution; `has_residual`: its residual has been computed.
  CorrectedColumns(std::vector<ColumnError> errors, bool has_residual, int steps = 0)
      : errors_(std::move(errors)), has_residual_(has_residual), steps_(steps) {}

  std::span<const ColumnError> errors() const { return errors_; }
  std::vector<ColumnError> take_errors() { return std::move(errors_); }
  int steps() const { return steps_; }  // accepted so far
  void forget_residual() { has_residual_ = false; }
  // True if no error exceeds the limits, or no step is left.
  bool are_done(const RefinementLimits& limits) const;

  // Steps with the factors.
  void correct_by_factors(const CorrectionStep& step, const RefinementLimits& limits);
  // Steps by GMRES.
  void correct_by_gmres(const CorrectionStep& step, const RefinementLimits& limits);
  // One step: accepts the correction of each column where it reduces this error, and does not raise that of
  // Arioli, Demmel and Duff above the acceptable one. Returns the smallest ratio of an error to the previous
  // one; 1 if none fell.
  double improve(const CorrectionStep& step, ErrorMeasure measure, const RefinementLimits& limits);

 private:
  double most(ErrorMeasure measure) const;
  // Repeats steps until this error is at most `goal`, or a step leaves more than `slowest` of it.
  void repeat(const CorrectionStep& step, ErrorMeasure measure, double goal, double slowest,
              const RefinementLimits& limits);

  std::vector<ColumnError> errors_;
  bool has_residual_;
  int steps_;
};

}  // namespace trisweep::solve
