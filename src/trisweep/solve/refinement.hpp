#pragma once
// Iterative refinement to a backward-error target: the answer a user gets, with the proof of its quality.

#include <functional>

#include "trisweep/solve/distributed_matrix.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

struct RefinementOptions {
  int max_steps = 20;
  // Stop once every right-hand side's backward error is at most this; 0 means the unit roundoff of T, which
  // refines for as long as it helps.
  double target = 0;
  // GMRES is tried only when plain refinement stops above this; 0 means 10 epsilon of T.
  double acceptable = 0;
};

struct Refined {
  double backward_error = 0;  // the largest over right-hand sides
  int steps = 0;              // corrections that were kept
};

// Solves op(A) x = b with the factors and corrects x while its backward error
//   ||b - op(A) x||_inf / (||op(A)||_inf ||x||_inf + ||b||_inf)
// falls, in the precision T of A; the factors may be of a lower precision F. A correction that does not help
// is not taken. Works with the solver's threads. Collective; throws on every rank when any runs out of
// memory.
template <Scalar T, Scalar F>
class RefinedSolver {
 public:
  RefinedSolver(DistributedMatrix<T>& a, TriangularSolver<F>& solver) : a_(a), solver_(solver) {}

  // Makes room, here and in what is solved with: solve() then allocates nothing, but for GMRES. solve() does
  // so by itself when needed.
  void prepare(Op op, Index nrhs);
  // b and x have no memory in common; Error(usage) on every rank where they have on any.
  Refined solve(Op op, Columns<const T> b, Columns<T> x, const RefinementOptions& options);

 private:
  // Of x; leaves its residuals in residual_.
  std::vector<double> backward_errors(Op op, Columns<const T> b, Columns<const T> x);
  // x = op(LDU)^-1 b, each column scaled to 1 in between so that F neither overflows nor underflows.
  void apply(Op op, Columns<const T> b, Columns<T> x);

  using Corrections = std::function<void(Columns<const T> r, Columns<T> d)>;  // d = about op(A)^-1 r
  Corrections by_factors(Op op);
  Corrections by_gmres(Op op);
  // One step: adds corrections where they lower the error. Returns the best share of an error that is left; 1
  // when none fell.
  double improve(Op op, Columns<const T> b, Columns<T> x, const Corrections& corrections, Refined& progress);
  // This rank's rows of as many vectors.
  template <class V>
  Columns<V> columns(Buffer<V>& buffer, Index nrhs) {
    return {buffer.data(), a_.local_rows(), nrhs};
  }

  DistributedMatrix<T>& a_;
  TriangularSolver<F>& solver_;
  std::vector<double> norm_b_;  // by right-hand side
  std::vector<double> error_;
  Index room_ = 0;  // right-hand sides that the buffers have room for
  Buffer<T> residual_;
  Buffer<T> corrected_;
  Buffer<F> low_;
};

}  // namespace trisweep::solve
