#pragma once
// Backward errors of x as a solution of op(A) x = b, invariant under scaling of equations and unknowns.

#include <map>
#include <span>
#include <vector>

#include "trisweep/device/residual.hpp"
#include "trisweep/engine/refinement.hpp"
#include "trisweep/kernels/sparse_product.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/solve/accuracy.hpp"

namespace trisweep::solve {

// The scaling of A in its factors, of this rank's equations (rows) and unknowns (columns).
struct Scales {
  std::span<const double> equations;
  std::span<const double> unknowns;

  std::span<const double> of_unknowns(Op op) const { return op == Op::none ? unknowns : equations; }
};

struct ResidualNorms : engine::ResidualNorms {
  bool may_vanish = false;  // a denominator may be negligible; otherwise both error measures are equal
  // See SmallUnknowns.
  double small_equations = 0;
  double small_size = 0;
};

// Residuals and backward errors. All functions are collective, for use inside mpi::revoke_on_error.
template <Scalar T>
class Residuals {
 public:
  using Real = RealOf<T>;

  // All arguments must outlive it.
  Residuals(krylov::DistributedMatrix<T>& a, ThreadPool& pool, const Scales& scales)
      : a_(a), pool_(pool), scales_(scales) {}

  // Allocates for `nrhs` right-hand sides, and computes the weights of the equations of op(A).
  void prepare(Op op, Index nrhs);

  // Returns the errors of x by right-hand side, and computes its residual r (unless null). One pass over A
  // and one reduction; a second of each if a componentwise error exceeds `enough` and a denominator may be
  // negligible: only then can the error of Arioli, Demmel and Duff, which is never larger, be smaller.
  std::vector<ColumnError> measure(Op op, Vectors<const T> b, Vectors<const T> x, Vectors<T> r,
                                   double enough) {
    return measure_any(op, b, x, r, enough);
  }
  std::vector<ColumnError> measure(Op op, VectorRows<const T> b, VectorRows<const T> x, VectorRows<T> r,
                                   double enough) {
    return measure_any(op, b, x, r, enough);
  }
  // Returns the errors that follow from these norms.
  ColumnError error(Op op, const ResidualNorms& norms) const;
  // magnitude = |op(A)| |x| + |b|, plus t_i where that is negligible beside t_i (see BackwardError).
  void magnitudes(Op op, Vectors<const T> b, Vectors<const T> x, Vectors<Real> magnitude);
  // Returns the data of device::RowResiduals; `rows`: this rank's rows of op(A).
  device::ResidualSystem<T> measuring(Op op, const matrix::Csr<T>& rows) const;

 private:
  // |op(A)| 1, |op(A)| c and 1 / c with the scales c of the unknowns in the factors, and 1 / (|op(A)| 1).
  struct RowWeights {
    Buffer<Real> plain;
    Buffer<Real> scaled;
    Buffer<Real> unknown;
    Buffer<Real> inverse;  // of `plain`
    double norm_inf = 0;   // ||op(A)||_inf, the maximum of `plain` over all ranks
  };
  using Maxima = kernels::ResidualMaxima<T>;

  RowWeights row_weights(Op op);
  const RowWeights& weights(Op op) const { return row_weights_.at(op != Op::none); }
  // For column-major and row-major vectors.
  template <class V, class W>
  std::vector<ColumnError> measure_any(Op op, V b, V x, W r, double enough);
  // Returns the norms of each column, by one pass over A.
  template <class V, class W>
  std::vector<ResidualNorms> norms(Op op, V b, V x, W r);
  // Sets the norms that depend on those of norms(), by a second pass.
  template <class V>
  void measure_typically(Op op, V b, V x, double enough, std::span<ResidualNorms> norms);
  // Calls visit(thread, column, row, |r_i|, terms) for every equation; `norms`: those of x.
  template <class V, class Visit>
  void visit_equations(Op op, V b, V x, std::span<const ResidualNorms> norms, const Visit& visit);

  krylov::DistributedMatrix<T>& a_;
  ThreadPool& pool_;
  Scales scales_;
  std::map<bool, RowWeights> row_weights_;  // by whether op is a transpose
  std::vector<Maxima> maxima_;              // by thread and cache line of columns
};

}  // namespace trisweep::solve
