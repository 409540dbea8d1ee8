#pragma once
// Iterative refinement in the memory of the device that runs a solver's sweeps.

#include <map>
#include <memory>
#include <optional>

#include "trisweep/solve/backward_error.hpp"
#include "trisweep/solve/corrected_columns.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// Refined solves with one matrix and its factors. Collective; for use inside mpi::revoke_on_error.
template <Scalar T>
class DeviceRefinedSolver {
 public:
  // All arguments must outlive it; the device of `solver` is not the native one.
  DeviceRefinedSolver(krylov::DistributedMatrix<T>& a, TriangularSolver<T>& solver,
                      const Residuals<T>& residuals)
      : a_(a), solver_(solver), residuals_(residuals) {}

  // Allocates for at most `nrhs` right-hand sides.
  void prepare(Op op, Index nrhs);
  // Solves in `stream` for at most the prepared number, and corrects by the factors. Waits for the stream in
  // each step, to read the residual norms; x is complete on return.
  CorrectedColumns solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementLimits& limits,
                         void* stream);

 private:
  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<T>& solver_;
  const Residuals<T>& residuals_;
  std::optional<krylov::DistributedMatrix<T>> transposed_;
  struct Prepared {
    std::unique_ptr<engine::Refinement<T>> refinement;
    Index nrhs;
  };
  std::map<Op, Prepared> prepared_;
};

}  // namespace trisweep::solve
