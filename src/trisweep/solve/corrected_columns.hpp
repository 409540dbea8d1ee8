#pragma once
// Which corrections of an answer are taken, and when there are no more: decided from errors alone, whatever
// the corrections are made of (Skeel 1980; Arioli, Demmel and Duff 1989).

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/solve/accuracy.hpp"

namespace trisweep::solve {

// An error of a right-hand side that corrections are to lower.
using ErrorMeasure = double (*)(const ColumnError&);
double arioli_demmel_duff(const ColumnError& e);
double componentwise(const ColumnError& e);
double of_small_unknowns(const ColumnError& e);

// RefinementOptions of vectors in one precision.
struct RefinementLimits {
  double target, acceptable;
  int steps;
  ErrorMeasure of_small;        // what is measured of unknowns far below the largest
  double small, small_at_most;  // up to which they are not corrected by the factors, or by other means
  bool best;
  bool replaceable;

  template <Scalar T>
  static RefinementLimits of(const RefinementOptions& options);

  bool accepts(const ColumnError& e) const { return arioli_demmel_duff(e) <= target && of_small(e) <= small; }
};

// What a correction is made of.
struct CorrectionStep {
  std::function<std::vector<ColumnError>()> correct;  // makes another answer; its errors
  std::function<void(std::span<const Index>)> take;   // those columns of it
  std::function<void()> measure;                      // the answer there is, for its residual
};

// Right-hand sides that are corrected together. Allocates before a step's reductions, and not behind them.
class CorrectedColumns {
 public:
  // With the errors that their answer has so far. `has_residual`: that of this answer is there.
  CorrectedColumns(std::vector<ColumnError> errors, bool has_residual, int steps = 0)
      : errors_(std::move(errors)), has_residual_(has_residual), steps_(steps) {}

  std::span<const ColumnError> errors() const { return errors_; }
  std::vector<ColumnError> take_errors() { return std::move(errors_); }
  int steps() const { return steps_; }  // taken so far
  void forget_residual() { has_residual_ = false; }
  // No error is above the limits, or no step is left.
  bool are_done(const RefinementLimits& limits) const;

  // Steps with the factors.
  void correct_by_factors(const CorrectionStep& step, const RefinementLimits& limits);
  // Steps by GMRES.
  void correct_by_gmres(const CorrectionStep& step, const RefinementLimits& limits);
  // One step: adds a correction where it lowers that error, and that of Arioli, Demmel and Duff does not rise
  // above what is acceptable. Returns the best share of an error that is left; 1 when none fell.
  double improve(const CorrectionStep& step, ErrorMeasure measure, const RefinementLimits& limits);

 private:
  double most(ErrorMeasure measure) const;
  // Steps while they help against that error.
  void repeat(const CorrectionStep& step, ErrorMeasure measure, double goal, double slowest,
              const RefinementLimits& limits);

  std::vector<ColumnError> errors_;
  bool has_residual_;
  int steps_;
};

}  // namespace trisweep::solve
