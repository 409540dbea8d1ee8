#pragma once
// Accuracy of solutions: backward and forward errors, and the criteria of refinement.

#include <limits>
#include <span>

#include "trisweep/core/types.hpp"

namespace trisweep::solve {

// Largest backward error of an accepted solution: 1e-13 in double precision.
template <Scalar T>
constexpr double good_backward_error = 450.0 * std::numeric_limits<RealOf<T>>::epsilon();
// Backward error up to which solutions are not corrected, by default.
template <Scalar T>
constexpr double acceptable_error = 10.0 * std::numeric_limits<RealOf<T>>::epsilon();

// Backward errors of one right-hand side, or the maxima over several. Infinite if an entry is not finite. For
// complex z, |z| = |re z| + |im z|.
struct BackwardError {
  // Oettli and Prager (1964): max_i |b - op(A) x|_i / (|op(A)| |x| + |b|)_i, the smallest relative change of
  // the entries of A and b that makes x exact.
  double componentwise = 0;
  // The same, but with the denominator (|op(A)| |x| + |b|)_i + t_i for equations whose own denominator is
  // negligible, at most 1e4 epsilon t_i, where t_i = (|op(A)| c)_i ||x / c||_inf (Arioli, Demmel and Duff
  // 1989, with c = 1): zeros in x, and unknowns that much smaller than others, are ordinary. c is 1 or,
  // independent of units, the scale of the unknowns in the factors, whichever gives the smaller t_i.
  // Solutions are accepted by this error.
  double arioli_demmel_duff = 0;
  // ||b - op(A) x||_inf / (||op(A)||_inf ||x||_inf + ||b||_inf).
  double normwise = 0;
};

// Equations whose Oettli-Prager error exceeds 450 epsilon although that of Arioli, Demmel and Duff does not:
// they contain only unknowns far below the largest, which need not have a correct digit.
struct SmallUnknowns {
  double equations = 0;  // their number
  double size = 0;       // their largest denominator relative to t_i
  // Maximum of |b - op(A) x|_i / t_i over equations whose Oettli-Prager error is not acceptable; of that
  // error itself where |b_i| is at least half of the denominator, and so is no rounding error.
  double residual = 0;
};
// Largest negligible SmallUnknowns::residual: at a zero of x it may be a rounding error of a rounding error.
template <Scalar T>
constexpr double negligible_residual = double(std::numeric_limits<RealOf<T>>::epsilon()) *
                                       double(std::numeric_limits<RealOf<T>>::epsilon());

struct ColumnError : BackwardError {
  SmallUnknowns small;  // `equations` counts this rank's only
};
// Returns the maximum of each kind of error over right-hand sides.
BackwardError largest(std::span<const ColumnError> errors);

// Stopping criteria, by BackwardError::arioli_demmel_duff of each right-hand side. Which unknowns are small
// depends on units, and no scaling settles it: small ones are corrected, too, until SmallUnknowns::residual
// is negligible, as long as each correction removes nine tenths of it.
struct RefinementOptions {
  // Solutions are corrected until their error is at most this; 0: acceptable_error<T>.
  double acceptable = 0;
  // Corrects every solution as long as the error decreases, including unknowns far below the largest.
  bool best = false;
  // For approximate factors (of lower precision, or compressed), whose own accuracy limits that of the
  // smallest unknowns: corrects until the componentwise error is acceptable, too; above 450 epsilon also by
  // repeated corrections of small unknowns, as long as they lower it.
  bool small_unknowns = false;
  // More accurate factors can be computed: GMRES stops after a few steps in favour of refactoring.
  bool replaceable = false;
  int max_steps = 20;
  // b has few nonzero rows: the first forward sweep applies only the panels that these reach
  // (plan/pruning.hpp). Not on devices.
  bool prune = false;
};
// Calls visit(name, value) for each option.
template <class Visit>
constexpr void for_each_field(const RefinementOptions& o, const Visit& visit) {
  visit("acceptable", o.acceptable);
  visit("best", o.best);
  visit("small unknowns", o.small_unknowns);
  visit("replaceable", o.replaceable);
  visit("steps", o.max_steps);
  visit("pruned", o.prune);
}

// Value of an estimate that was not computed.
inline constexpr double not_estimated = std::numeric_limits<double>::quiet_NaN();

// Estimates of max_i (|op(A)^-1| v)_i / s_i (Skeel 1979; LAPACK's xGERFS). Infinite for x = 0 with nonzero b.
struct ForwardError {
  // cond(op(A), x): v = |op(A)| |x| + |b|, s_i = ||x||_inf. A componentwise backward error times this bounds
  // the error of x.
  double solution_condition = not_estimated;
  // Error of x relative to its largest entry: v = |b - op(A) x| plus the rounding errors of the residual.
  double bound = not_estimated;
  double componentwise_bound = not_estimated;  // the same with s_i = |x_i|, without i where x_i = 0
};

}  // namespace trisweep::solve
