#pragma once
// Corrections d ~ op(A)^-1 r of a solution with residual r: by the factors, which may have lower precision
// than A, or by GMRES, preconditioned by the factors.

#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// All functions are collective, for use inside mpi::revoke_on_error.
template <Scalar T>
class Corrections {
 public:
  using Real = RealOf<T>;

  // Both arguments must outlive it.
  Corrections(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver) : a_(a), solver_(solver) {}

  // Corrections of the columns `wanted` by at most `steps` steps of GMRES; zero in the others. Every equation
  // is divided by `measure`, the denominator of its error, so that GMRES minimizes the componentwise error,
  // independently of units.
  void by_gmres(Op op, int steps, std::span<const Index> wanted, Vectors<const Real> measure,
                Vectors<const T> r, Vectors<T> d);

  // For unknowns of x much smaller than others: several corrections in a row, without measuring in between;
  // each reduces the errors that larger unknowns cause in smaller ones. `zero_the_undetermined`: sets
  // unknowns to zero if their last correction is not smaller than half their value. Overwrites r, the
  // residual of x.
  struct Answer {
    Vectors<const T> b;
    Vectors<const T> x;
  };
  void by_factors_repeatedly(Op op, const Answer& answer, Vectors<T> r, Vectors<T> d,
                             bool zero_the_undetermined);

 private:
  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<T>& solver_;
};

}  // namespace trisweep::solve
