#pragma once
// The verdict on a solution: backward errors, condition, and whether it is accepted.

#include <vector>

#include "trisweep/solve/accuracy.hpp"

namespace trisweep::solve {

// Estimates of the distance to singularity, from the factors and a known solution.
struct ConditionEstimate {
  // 1-norm, of the scaled matrix; may be infinite. Estimated where a known solution lost half of its digits,
  // where pivots were perturbed or factors are compressed, and where it is asked for
  // (Solver::condition_estimate).
  double condition_estimate = not_estimated;
  double probe_condition = 0;  // a proven lower bound of a componentwise condition number
  bool recovered = true;       // a known solution, to one digit at least
};

// All right-hand sides of one solve. The same on every rank, but for `seconds`.
struct Answer {
  BackwardError error;               // the largest of each kind
  std::vector<ColumnError> columns;  // by right-hand side
  SmallUnknowns small;               // of all right-hand sides
  int refinement_steps = 0;          // corrections of x that were made
  Index worst = 0;                   // the right-hand side with the largest error
  Offset reductions = 0;             // blocking ones, of refining and judging
  ConditionEstimate condition;       // how far the matrix is from a singular one
  double seconds = 0;                // of solving, refining and judging, on this rank
  // Of the panels' entries that a whole sweep each way reads, those that the first sweeps have read, on
  // average over right-hand sides; less than 1 where they were pruned.
  double panel_share = 1;
  bool of_sample = false;  // the errors are another right-hand side's, see Solver::solve_rows
  // x satisfies its equations to 450 epsilon (1e-13 in double) in the measure of Arioli, Demmel and Duff,
  // that units cannot change: without that, x means nothing.
  bool satisfies = false;
  // So it does by Oettli and Prager's measure, unknowns far below the largest included.
  bool satisfies_small = false;
  bool singular = false;  // the matrix, to working precision: x is one of many answers, as good as any
  // The condition estimate, where there is one, exceeds 1 / epsilon: no digit of x need be correct.
  bool ill_conditioned = false;

  // Whether x is accepted.
  bool solved() const { return satisfies && is_regular(); }
  // Whether the matrix is not singular to working precision.
  bool is_regular() const { return condition.recovered && !singular; }
};

// Fills in what `answer` says of x, from its error and what is known of the matrix. docs/run-record.md gives
// the rules. Throws nothing.
template <Scalar T>
void assess(Answer& answer);
// Whether one right-hand side with that error satisfies its equations (Answer::satisfies). Throws nothing.
template <Scalar T>
bool satisfies(const BackwardError& error);

}  // namespace trisweep::solve
