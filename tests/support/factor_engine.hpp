#pragma once
// What tests of factorizations by all ranks have in common.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::testing_support {

inline constexpr Op every_op[] = {Op::none, Op::transpose, Op::conjugate_transpose};

template <Scalar T>
RowsOf<T> scattered_rows(Index n) {
  return {scattered(n).number};
}

// Its diagonal is weak: rows are exchanged, and have units of their own.
template <Scalar T>
matrix::Csr<T> weak_diagonal(Index n = 150) {
  const auto a = random_matrix<T>({.n = n, .per_row = 3, .seed = 4});
  std::vector<Index> row_new, col_new;
  std::vector<double> row_scale, one(usize(n), 1);
  for (Index i = 0; i < n; ++i) {
    row_new.push_back((7 * i + 3) % n);
    col_new.push_back(i);
    row_scale.push_back(i % 5 == 0 ? 30 : 0.25);
  }
  return matrix::permuted_and_scaled<T>(a, row_new, col_new, row_scale, one);
}

// Of A x = b with x known, by a solver whose ranks have these rows.
struct KnownSolved {
  solve::Answer answer;
  double error;  // the largest of x, over all ranks
};

template <Scalar T>
KnownSolved solve_known(solve::Solver<T>& solver, const matrix::Csr<T>& a, const RowsOf<T>& rows,
                        Op op = Op::none, Index nrhs = 2) {
  show_life();
  const auto n = usize(a.rows());
  const auto exact = random_vector<T>(n * usize(nrhs), 5);
  std::vector<T> b(exact.size());
  for (Index c = 0; c < nrhs; ++c)
    matrix::multiply<T>(a, op, std::span(exact).subspan(usize(c) * n, n),
                        std::span(b).subspan(usize(c) * n, n));
  const auto mine = rows.of(std::span<const T>(b), nrhs), truth = rows.of(std::span<const T>(exact), nrhs);
  std::vector<T> x(mine.size());
  const auto count = static_cast<Index>(rows.number.size());
  auto answer = solver.solve({mine.data(), count, nrhs}, {x.data(), count, nrhs}, op);
  const double error = largest_difference(x, truth);
  return {std::move(answer), mpi::Communicator(MPI_COMM_WORLD).max(error)};
}

// The error of making a solver, the same on all ranks; "none".
template <Scalar T>
std::string error_of_solver(const matrix::Csr<T>& a, const solve::SolverOptions& options = {}) {
  std::string text = "none";
  try {
    solve::Solver<T>(MPI_COMM_WORLD, scattered_rows<T>(a.rows()).of(a, true), options);
  } catch (const Error& e) {
    text = e.what();
  }
  std::string first = text;
  mpi::Communicator(MPI_COMM_WORLD).broadcast(first);
  EXPECT_EQ(text, first);
  return text;
}

// One entry in a row, none of them on the diagonal but for n = 1.
inline matrix::Csr<double> rotation(Index n) {
  matrix::Csr<double> a{{n, n, {0}, {}}, {}};
  for (Index i = 0; i < n; ++i) {
    a.pattern.col.push_back((i + 1) % n);
    a.value.push_back(2.0 + double(i));
    a.pattern.row_ptr.push_back(i + 1);
  }
  return a;
}

}  // namespace trisweep::testing_support
