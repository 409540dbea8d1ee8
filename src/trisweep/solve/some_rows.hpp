#pragma once
// Selected entries of the solutions of sparse right-hand sides, in groups of columns.

#include <functional>
#include <span>

#include "trisweep/solve/answer.hpp"
#include "trisweep/solve/sparse_columns.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

template <Scalar T>
struct SomeRows {
  SparseColumns<T> b;
  std::span<const Index> rows;  // wanted rows of x, by local number
  Vectors<T> x;                 // one row for each of `rows`
};

// Throws Error(usage) when a row number is not in [0, local_rows), or x has another shape, Error(input) when
// a value is not finite, naming its row as in `numbers`.
template <Scalar T>
void require_fit(const SomeRows<T>& wanted, Index local_rows, const RowNumbers& numbers);

// Result of sweep_rows().
struct PrunedSweeps {
  double panel_share = 0;          // see Answer
  bool is_finite = true;           // all wanted entries are; otherwise the sample's verdict does not apply
  engine::SolveProfile profile{};  // of this rank
};
// Solves by forward and backward sweeps that are both pruned, with one plan for each group of columns that
// reach similar panels. `in_range`: converts right-hand sides to the units of the solver. Collective.
template <Scalar T>
PrunedSweeps sweep_rows(TriangularSolver<T>& solver, Op op, const SomeRows<T>& wanted,
                        const std::function<Vectors<const T>(Vectors<const T>)>& in_range);

// Picks entries from whole solutions; returns the worst answer, with the errors of all columns. Collective.
template <Scalar T>
Answer solve_and_pick(const mpi::Communicator& comm, Index local_rows, const SomeRows<T>& wanted,
                      const std::function<Answer(Vectors<const T>, Vectors<T>)>& solve);

}  // namespace trisweep::solve
