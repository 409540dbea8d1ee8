#pragma once
// Some entries of the solutions of sparse right-hand sides, in groups of columns.

#include <functional>
#include <span>

#include "trisweep/solve/answer.hpp"
#include "trisweep/solve/sparse_columns.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

template <Scalar T>
struct SomeRows {
  SparseColumns<T> b;
  std::span<const Index> rows;  // of this rank, of x
  Vectors<T> x;                 // a row for each
};

// Throws Error(usage) when a number is not one of `local_rows` rows, or x has another shape, Error(input)
// when a value is not finite, with its row as in `numbers`.
template <Scalar T>
void require_fit(const SomeRows<T>& wanted, Index local_rows, const RowNumbers& numbers);

// By sweeps that are pruned both ways, a plan for each group of columns that reach similar panels.
// `in_range`: of right-hand sides as the solver takes them. Collective.
struct PrunedSweeps {
  double panel_share = 0;          // as Answer has it
  bool is_finite = true;           // what is wanted: else the sample's verdict is not theirs
  engine::SolveProfile profile{};  // of this rank
};
template <Scalar T>
PrunedSweeps sweep_rows(TriangularSolver<T>& solver, Op op, const SomeRows<T>& wanted,
                        const std::function<Vectors<const T>(Vectors<const T>)>& in_range);

// From whole solutions; returns the worst answer, with the errors of all columns. Collective.
template <Scalar T>
Answer solve_and_pick(const mpi::Communicator& comm, Index local_rows, const SomeRows<T>& wanted,
                      const std::function<Answer(Vectors<const T>, Vectors<T>)>& solve);

}  // namespace trisweep::solve
