#pragma once
// How well x solves op(A) x = b, in terms that a change of units cannot change.

#include <map>
#include <span>
#include <vector>

#include "trisweep/device/measure.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"

namespace trisweep::solve {

// The largest over right-hand sides. Infinite where an entry is not finite.
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

// The two componentwise ones, of a single right-hand side.
struct ColumnError {
  double componentwise;
  double arioli_demmel_duff;
};
// By right-hand side; the largest of one kind.
double largest(const std::vector<ColumnError>& errors, double ColumnError::*kind);

// The scales that the factors have of A: by this rank's equations (rows) and unknowns (columns).
struct Scales {
  std::span<const double> equations;
  std::span<const double> unknowns;

  std::span<const double> of_unknowns(Op op) const { return op == Op::none ? unknowns : equations; }
};

// Residuals of answers, with what each equation's is measured by. Collective, all of it; to be used inside
// transport::together.
template <Scalar T>
class Residuals {
 public:
  using Real = RealOf<T>;

  // All of these outlive it.
  Residuals(krylov::DistributedMatrix<T>& a, Crew& crew, const Scales& scales)
      : a_(a), crew_(crew), scales_(scales) {}

  // Room for that many right-hand sides, and the weights of the equations of op(A).
  void prepare(Op op, Index nrhs);

  // The errors of x, by right-hand side; leaves its residuals and what they are measured by.
  std::vector<ColumnError> measure(Op op, Vectors<const T> b, Vectors<const T> x);
  // The normwise error of x, which was measured last; or of what has these norms, by right-hand side.
  struct Norms {
    std::vector<double> r, x, b;
  };
  double normwise(Op op, Vectors<const T> b, Vectors<const T> x) const;
  double normwise(Op op, const Norms& norm) const;
  // What a device measures answers with, where `rows` are this rank's of op(A).
  device::Measuring<T> measuring(Op op, const matrix::Csr<T>& rows) const;

  // Of the last x, with as many columns: b - op(A) x, and by what an equation of its kind is measured.
  Vectors<T> residual(Index nrhs) { return {residual_.data(), a_.local_rows(), nrhs}; }
  Vectors<Real> magnitude(Index nrhs) { return {magnitude_.data(), a_.local_rows(), nrhs}; }
  Vectors<const Real> magnitude(Index nrhs) const { return {magnitude_.data(), a_.local_rows(), nrhs}; }

 private:
  // |op(A)| c, with c = 1 and with that of the factors.
  struct RowWeights {
    Buffer<Real> plain;
    Buffer<Real> scaled;
  };
  RowWeights row_weights(Op op);

  krylov::DistributedMatrix<T>& a_;
  Crew& crew_;
  Scales scales_;
  std::map<bool, RowWeights> row_weights_;  // by whether op is a transpose
  Index room_ = 0;                          // right-hand sides that the buffers have room for
  Buffer<T> residual_;
  Buffer<Real> magnitude_;
};

}  // namespace trisweep::solve
