#pragma once
// The verdict on a solution: backward errors, condition, and whether it is accepted.

#include <vector>

#include "trisweep/solve/accuracy.hpp"

namespace trisweep::solve {

// Estimates of the distance to singularity, from the factors and a known solution.
struct ConditionEstimate {
  // 1-norm condition number of the scaled matrix; may be infinite. Estimated if a known solution lost half of
  // its digits, if pivots were perturbed or factors are compressed, and on request
  // (Solver::condition_estimate).
  double condition_estimate = not_estimated;
  double probe_condition = 0;  // a proven lower bound of a componentwise condition number
  bool recovered = true;       // a known solution came back, to at least one digit
};

// The verdict on all right-hand sides of one solve. The same on every rank, except `seconds`.
struct Answer {
  BackwardError error;               // maximum of each kind over the right-hand sides
  std::vector<ColumnError> columns;  // by right-hand side
  SmallUnknowns small;               // of all right-hand sides
  int refinement_steps = 0;          // corrections of x that were accepted
  Index worst = 0;                   // the right-hand side with the largest error
  Offset reductions = 0;             // number of blocking reductions in refinement
  ConditionEstimate condition;       // how far the matrix is from a singular one
  double seconds = 0;                // of solving, refining and judging, on this rank
  // Share of the panels' entries that the first forward and backward sweeps have read, averaged over
  // right-hand sides; less than 1 if they were pruned.
  double panel_share = 1;
  bool of_sample = false;  // the errors are those of a sample right-hand side, see Solver::solve_rows
  // x satisfies its equations to 450 epsilon (1e-13 in double) in the measure of Arioli, Demmel and Duff,
  // which is independent of units; otherwise x is meaningless.
  bool satisfies = false;
  // The same in the measure of Oettli and Prager, in which unknowns far below the largest count fully.
  bool satisfies_small = false;
  bool singular = false;  // A is singular to working precision: x is one of many equally good solutions
  // The condition estimate, if there is one, is at least 1 / epsilon: x may have no correct digit.
  bool ill_conditioned = false;

  // True if x is accepted.
  bool solved() const { return satisfies && is_regular(); }
  // True if the matrix is not singular to working precision.
  bool is_regular() const { return condition.recovered && !singular; }
};

// Sets the verdict of `answer` from its errors and its condition estimate. docs/run-record.md gives the
// rules. Throws nothing.
template <Scalar T>
void assess(Answer& answer);
// True if a solution with this error satisfies its equations (Answer::satisfies). Throws nothing.
template <Scalar T>
bool satisfies(const BackwardError& error);

}  // namespace trisweep::solve
