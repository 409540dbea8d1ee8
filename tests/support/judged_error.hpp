#pragma once
// A solve whose solution is known, and that has to be accepted.

#include <gtest/gtest.h>

#include <limits>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/watchdog.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::testing_support {

// The largest error of x on all ranks, in units of the precision. `of`: the rows of each rank.
template <Scalar T>
double judged_error(solve::Solver<T>& solver, const matrix::Csr<T>& a, const RowsOf<double>& of, Op op,
                    Index nrhs) {
  show_life();
  const RowsOf<T> rows{of.number};
  const auto truth = random_vector<T>(usize(a.rows()) * usize(nrhs), 5);
  std::vector<T> b(truth.size());
  for (Index c = 0; c < nrhs; ++c) {
    const auto column = [&](auto& v) {
      return std::span(v).subspan(usize(c) * usize(a.rows()), usize(a.rows()));
    };
    matrix::multiply<T>(a, op, column(truth), column(b));
  }
  const std::vector<T> mine = rows.of(std::span<const T>(b), nrhs);
  std::vector<T> x(mine.size());
  const auto count = static_cast<Index>(rows.number.size());
  const solve::Answer answer = solver.solve({mine.data(), count, nrhs}, {x.data(), count, nrhs}, op);
  EXPECT_TRUE(answer.solved());
  EXPECT_LE(answer.error.componentwise, 450 * std::numeric_limits<RealOf<T>>::epsilon());
  const double error = largest_difference(x, rows.of(std::span<const T>(truth), nrhs));
  return mpi::Communicator(MPI_COMM_WORLD).max(error) / std::numeric_limits<RealOf<T>>::epsilon();
}

}  // namespace trisweep::testing_support
