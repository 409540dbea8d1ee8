#pragma once
// Iterative refinement to a componentwise backward-error target: the answer a user gets, with the proof of
// its quality, in terms that a change of units cannot change.

#include <functional>

#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// How well x solves op(A) x = b; the largest over right-hand sides. Infinite where an entry is not finite.
struct BackwardError {
  // Oettli and Prager (1964): max_i |b - op(A) x|_i / (|op(A)| |x| + |b|)_i, the least relative change of
  // single entries of A and b that makes x exact. What answers are judged by. Of a complex z, |z| = |re z| +
  // |im z|.
  double componentwise = 0;
  // The same, but equations whose denominator vanishes beside t_i = (|op(A)| c)_i ||x / c||_inf, being below
  // 1e4 epsilon t_i, are measured by (|op(A)| |x| + |b|)_i + t_i (Arioli, Demmel and Duff 1989, with c = 1):
  // the answer may be as good as can be where unknowns are that much smaller than others. c is 1 or,
  // independent of units, the scale of the unknowns in the factors, whichever gives the smaller t_i.
  double arioli_demmel_duff = 0;
  // ||b - op(A) x||_inf / (||op(A)||_inf ||x||_inf + ||b||_inf).
  double normwise = 0;
};

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
// precision T of A; the factors may be of a lower precision F. A correction that does not help is not taken.
// Works with the solver's threads. Collective; throws on every rank when any runs out of memory.
template <Scalar T, Scalar F>
class RefinedSolver {
 public:
  RefinedSolver(krylov::DistributedMatrix<T>& a, TriangularSolver<F>& solver) : a_(a), solver_(solver) {}

  // Makes room, here and in what is solved with: solve() then allocates nothing, but for GMRES. solve() does
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

  // Of single right-hand sides.
  struct Measure {
    double componentwise;
    double arioli_demmel_duff;
  };
  // Of x; leaves its residuals in residual_ and what they are measured by in magnitude_.
  std::vector<Measure> measure(Op op, Vectors<const T> b, Vectors<const T> x);
  double normwise(Op op, Vectors<const T> b, Vectors<const T> x);
  // The estimate for weights 1 / s.
  double condition_of(Op op, Index column, std::span<const R> weight);
  // x = op(LDU)^-1 b, each column scaled to 1 in between so that F neither overflows nor underflows.
  void apply(Op op, Vectors<const T> b, Vectors<T> x);
  // |op(A)| c, with c = 1 and with that of the factors; once for each op.
  struct RowWeights {
    Buffer<R> plain;
    Buffer<R> scaled;
  };
  const RowWeights& row_weights(Op op);

  // d = about op(A)^-1 r, for the right-hand sides whose error is above the goal.
  using Corrections = std::function<void(Vectors<const T> r, Vectors<T> d, double goal)>;
  Corrections by_factors(Op op);
  Corrections by_gmres(Op op);
  // For unknowns that are much smaller than others: a few corrections in a row, each of which takes away what
  // errors of the larger ones have left there, without being measured in between; and zero for those of them
  // that, to the end, are no larger than their corrections.
  Corrections by_factors_repeatedly(Op op, Vectors<const T> b, Vectors<const T> x,
                                    bool zero_the_undetermined);
  // One step: adds corrections where they lower the error, by that kind of it. Returns the best share of an
  // error that is left; 1 when none fell.
  double improve(Op op, Vectors<const T> b, Vectors<T> x, const Corrections& corrections, double goal,
                 double Measure::*kind);
  double largest(double Measure::*kind) const;
  // Of error_ and residual_, x being what they are of.
  BackwardError summary(Op op, Vectors<const T> b, Vectors<const T> x);
  // This rank's rows of as many vectors.
  template <class V>
  Vectors<V> columns(Buffer<V>& buffer, Index nrhs) {
    return {buffer.data(), a_.local_rows(), nrhs};
  }
  // The scale c of this rank's unknowns.
  std::span<const double> unknown_scale(Op op) const {
    return solver_.equation_scale(op == Op::none ? Op::transpose : Op::none);
  }

  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<F>& solver_;
  std::vector<Measure> error_;  // by right-hand side
  int steps_ = 0;
  std::map<bool, RowWeights> row_weights_;  // by whether op is a transpose
  Index room_ = 0;                          // right-hand sides that the buffers have room for
  Buffer<T> residual_;
  Buffer<R> magnitude_;
  Buffer<T> corrected_;
  Buffer<F> low_;
};

}  // namespace trisweep::solve
