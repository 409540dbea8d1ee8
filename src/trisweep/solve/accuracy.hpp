#pragma once
// How accurate solutions are, and how accurate they are to be.

#include <limits>
#include <span>

#include "trisweep/core/types.hpp"

namespace trisweep::solve {

// What an answer's error is at most: 1e-13 in double precision.
template <Scalar T>
constexpr double good_backward_error = 450.0 * std::numeric_limits<RealOf<T>>::epsilon();
// Up to which answers are not corrected, if nothing else is asked for.
template <Scalar T>
constexpr double acceptable_error = 10.0 * std::numeric_limits<RealOf<T>>::epsilon();

// Of one right-hand side, or the largest of several. Infinite where an entry is not finite. Of a complex z,
// |z| = |re z| + |im z|.
struct BackwardError {
  // Oettli and Prager (1964): max_i |b - op(A) x|_i / (|op(A)| |x| + |b|)_i, the least relative change of
  // single entries of A and b that makes x exact.
  double componentwise = 0;
  // The same, but equations whose denominator vanishes beside t_i = (|op(A)| c)_i ||x / c||_inf, being below
  // 1e4 epsilon t_i, are measured by (|op(A)| |x| + |b|)_i + t_i (Arioli, Demmel and Duff 1989, with c = 1):
  // zeros in x, and unknowns that much smaller than others, are ordinary. c is 1 or, independent of units,
  // the scale of the unknowns in the factors, whichever gives the smaller t_i. What answers are judged by.
  double arioli_demmel_duff = 0;
  // ||b - op(A) x||_inf / (||op(A)||_inf ||x||_inf + ||b||_inf).
  double normwise = 0;
};

// Equations whose own measure exceeds 450 epsilon although that of Arioli, Demmel and Duff does not: only
// unknowns far below the largest have a part in them, and these need not have a correct digit.
struct SmallUnknowns {
  double equations = 0;
  double size = 0;  // of their denominators, the largest relative to t_i
  // Of equations whose own measure is not acceptable the largest |b - op(A) x|_i / t_i; or that own measure
  // where b_i is at least half of the equation's terms, and so not rounding.
  double residual = 0;
};
// Of SmallUnknowns::residual: what is as small may be rounding errors of rounding errors, where x has a zero.
template <Scalar T>
constexpr double negligible_residual = double(std::numeric_limits<RealOf<T>>::epsilon()) *
                                       double(std::numeric_limits<RealOf<T>>::epsilon());

struct ColumnError : BackwardError {
  SmallUnknowns small;  // equations: of this rank
};
// Of each kind the largest over right-hand sides.
BackwardError largest(std::span<const ColumnError> errors);

// Stopping criteria, by BackwardError::arioli_demmel_duff of each right-hand side. Which unknowns are small
// is a matter of units that no scale settles: they are corrected, too, until SmallUnknowns::residual is
// negligible, as long as each correction takes away nine tenths of it.
struct RefinementOptions {
  // Solutions are corrected until their error is at most this; 0: acceptable_error<T>.
  double acceptable = 0;
  // Corrects every solution as long as the error decreases, including unknowns far below the largest.
  bool best = false;
  // Factors are approximate (of lower precision, or compressed), and give the smallest unknowns, too, no more
  // digits than they have themselves: corrected until the componentwise error is acceptable, too, and above
  // 450 epsilon by other means as well, as long as that lowers it.
  bool small_unknowns = false;
  // Better factors can be made: an answer that takes more than a few steps of GMRES is left to these.
  bool replaceable = false;
  int max_steps = 20;
  // b has few rows that are not zero: the first forward sweep applies only the panels that these reach
  // (plan/pruning.hpp). Not on devices.
  bool prune = false;
};
// Calls visit(name, value) for each of them.
template <class Visit>
constexpr void for_each_field(const RefinementOptions& o, const Visit& visit) {
  visit("acceptable", o.acceptable);
  visit("best", o.best);
  visit("small unknowns", o.small_unknowns);
  visit("replaceable", o.replaceable);
  visit("steps", o.max_steps);
  visit("pruned", o.prune);
}

// In place of an estimate that was not made.
inline constexpr double not_estimated = std::numeric_limits<double>::quiet_NaN();

// Estimates of max_i (|op(A)^-1| v)_i / s_i (Skeel 1979; LAPACK's xGERFS). Infinite where x is zero and b
// not.
struct ForwardError {
  // cond(op(A), x): v = |op(A)| |x| + |b|, s_i = ||x||_inf. A componentwise backward error times this bounds
  // the error of x.
  double solution_condition = not_estimated;
  // Of x, relative to its largest entry: v = |b - op(A) x|, and the rounding errors that it was computed
  // with.
  double bound = not_estimated;
  double componentwise_bound = not_estimated;  // the same with s_i = |x_i|, those with x_i = 0 left out
};

}  // namespace trisweep::solve
