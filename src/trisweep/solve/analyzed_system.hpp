#pragma once
// The analysis of a system by itself: ordering, structure and plan, for any number of solvers of other values
// of its pattern.

#include <mpi.h>

#include <memory>
#include <span>

#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {

// Plain data, without a communicator of its own: it may be destroyed at any time, and threads may share it.
template <Scalar T>
class AnalyzedSystem {
 public:
  // Collective. Matching and scaling depend on the values of `rows`: those of later solvers do best when they
  // are alike in size. Throws as Solver's constructor does.
  AnalyzedSystem(MPI_Comm comm, BlockRows<T> rows, const SolverOptions& options = {});

  // The solver of these `values`, in the order of this rank's entries. Collective over the same ranks. Pivots
  // may require another structure, which is that solver's alone. Throws as Solver's constructor does, and
  // Error(usage) when `options` ask for another kind of factorization than the analysis is for.
  Solver<T> factorize(MPI_Comm comm, std::span<const T> values, const SolverOptions& options) const;
  // The same with the options of the analysis.
  Solver<T> factorize(MPI_Comm comm, std::span<const T> values) const {
    return factorize(comm, values, options_);
  }

  // The same into a `solver` that this has made, whose buffers are used again: bit for bit the same factors.
  void factorize_into(Solver<T>& solver, std::span<const T> values) const {
    solver.refactor(values, planned_.get());
  }

  // Those it was made with.
  const SolverOptions& options() const { return options_; }
  // Nonzeros in this rank's rows.
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
