#pragma once
// Iterative refinement to a componentwise backward-error target: the answer a user gets, with the proof of
// its quality, in terms that a change of units cannot change.

#include <functional>

#include "trisweep/solve/backward_error.hpp"
#include "trisweep/solve/corrections.hpp"

namespace trisweep::solve {

struct RefinementOptions {
  int max_steps = 20;
  // Stop once every right-hand side's componentwise backward error is at most this; 0 means epsilon of T,
  // which refines for as long as it helps.
  double target = 0;
  // GMRES is tried only when plain refinement stops above this; 0 means 10 epsilon of T.
  double acceptable = 0;
};

struct Refined {
  BackwardError error;
  int steps = 0;    // corrections that were kept
  Index worst = 0;  // the right-hand side with the largest componentwise error
};

// Solves op(A) x = b with the factors and corrects x while its componentwise backward error falls, in the
// precision T of A, that the factors need not have. A correction that does not help is not taken.
// Works with the solver's threads. Collective; throws on every rank when any runs out of memory, after which
// matrix and solver may be abandoned (transport/fate.hpp).
template <Scalar T>
class RefinedSolver {
 public:
  // Both outlive it.
  RefinedSolver(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver)
      : a_(a),
        solver_(solver),
        residuals_(a, solver.crew(), {solver.equation_scale(Op::none), solver.equation_scale(Op::transpose)}),
        corrections_(a, solver) {}

  // Makes room, here and in what is solved with: solve() then allocates little, but for GMRES. solve() does
  // so by itself when needed.
  void prepare(Op op, Index nrhs);
  // b and x have no memory in common; Error(usage) on every rank where they have on any.
  Refined solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options);
  // Of any x.
  BackwardError backward_error(Op op, Vectors<const T> b, Vectors<const T> x);

  // Estimates of cond(op(A), x) = max_i (|op(A)^-1| (|op(A)| |x| + |b|))_i / s_i (Skeel 1979; LAPACK's
  // xGERFS): a componentwise backward error times this bounds the error of x_i over s_i. Of a right-hand side
  // of the last solve(), which had this op. At most ten solves each.
  double condition(Op op, Vectors<const T> x, Index column);  // s_i = ||x||_inf
  double componentwise_condition(Op op, Vectors<const T> x,
                                 Index column);  // s_i = |x_i|, those with x_i = 0 left out

 private:
  using R = RealOf<T>;
  using Kind = double ColumnError::*;
  struct System {
    Op op;
    Vectors<const T> b;
    Vectors<T> x;
  };
  // d = a correction of x, whose residual r it may overwrite.
  using Correction = std::function<void(Vectors<T> r, Vectors<T> d)>;

  // Runs work() so that an error that this rank has alone reaches the others, wherever they wait.
  template <class Work>
  auto together(const Work& work);
  void make_room(Op op, Index nrhs);
  Refined refine(const System& system, const RefinementOptions& options);
  // One step: adds a correction where it lowers that kind of error, and that of Arioli, Demmel and Duff does
  // not rise above the goal. Returns the best share of an error that is left; 1 when none fell.
  double improve(const System& system, const Correction& correction, double goal, Kind kind);
  // Of error_, x being what was measured last.
  BackwardError summary(Op op, Vectors<const T> b, Vectors<const T> x) const;
  // The estimate for the weights 1 / s, which fill() makes.
  template <class Fill>
  double condition_of(Op op, Index column, const Fill& fill);

  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<T>& solver_;
  Residuals<T> residuals_;
  Corrections<T> corrections_;
  std::vector<ColumnError> error_;  // by right-hand side
  int steps_ = 0;
  Buffer<T> corrected_;
};

}  // namespace trisweep::solve
