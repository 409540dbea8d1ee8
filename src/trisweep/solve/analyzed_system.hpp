#pragma once
// The analysis of a system (ordering, structure and plan), reusable for any number of solvers whose matrices
// have its pattern and other values.

#include <mpi.h>

#include <memory>
#include <span>

#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {

// Plain data without a communicator: it may be destroyed at any time, and threads may share it.
template <Scalar T>
class AnalyzedSystem {
 public:
  // Collective. Matching and scaling are computed from the values of `rows`: they work best for later values
  // of similar magnitude. Throws as Solver's constructor does.
  AnalyzedSystem(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options = {});

  // Returns a solver for these `values`, in the order of this rank's entries. Collective over the same ranks.
  // If pivots require another structure, only that solver uses it. Throws as Solver's constructor does, and
  // Error(usage) when `options` ask for another kind of factorization than the analysis is for.
  Solver<T> factorize(MPI_Comm comm, std::span<const T> values, const SolverOptions& options) const;
  // The same with the options of the analysis.
  Solver<T> factorize(MPI_Comm comm, std::span<const T> values) const {
    return factorize(comm, values, options_);
  }

  // The same into a `solver` made by this object, whose buffers are reused; bitwise the same factors.
  void factorize_into(Solver<T>& solver, std::span<const T> values) const {
    solver.refactor(values, planned_.get());
  }

  // Options that the analysis was made with.
  const SolverOptions& options() const { return options_; }
  // Number of stored entries in this rank's rows.
  Offset entries() const { return rows_.a.nonzeros(); }

 private:
  BlockRows<T> rows_;
  SolverOptions options_;
  std::shared_ptr<const PlannedSystem> planned_;  // on rank 0
};

}  // namespace trisweep::solve

namespace trisweep {

using solve::AnalyzedSystem;

}  // namespace trisweep
