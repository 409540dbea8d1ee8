#pragma once
// Corrections d = about op(A)^-1 r of an answer whose residual is r: by the factors, which may be of lower
// precision than A, or where they are only a preconditioner, by GMRES.

#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// Collective, all of it; to be used inside mpi::revoke_on_error.
template <Scalar T>
class Corrections {
 public:
  using Real = RealOf<T>;

  // Both outlive it.
  Corrections(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver) : a_(a), solver_(solver) {}

  // By at most so many `steps` of GMRES in the columns `wanted`, and zero in others. Every equation is
  // divided by what its residual is measured by, so that what GMRES makes small is the componentwise error,
  // in whatever units the equations are.
  void by_gmres(Op op, int steps, std::span<const Index> wanted, Vectors<const Real> measure,
                Vectors<const T> r, Vectors<T> d);

  // For unknowns of x that are much smaller than others: a few corrections in a row, each of which takes away
  // what errors of the larger ones have left there, without being measured in between; and zero for those of
  // them that, to the end, are no larger than their corrections. r, the residual of x, is overwritten.
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
