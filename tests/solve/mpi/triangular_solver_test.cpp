// Matrices that are awkward and solves that follow each other, on every grid of the ranks at hand. What every
// variant must do is in variants_test.cpp.

#include "trisweep/solve/triangular_solver.hpp"

#include <gtest/gtest.h>

#include "support/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::grids_of;
using testing_support::random_matrix;
using testing_support::solve_error;
using testing_support::world_size;

template <class T>
class TriangularSolverTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(TriangularSolverTest, Scalars);

TYPED_TEST(TriangularSolverTest, SolvesWhatHasFewerSupernodesThanRanks) {
  using T = TypeParam;
  for (const Index n : {1, 2, 5}) {
    const auto a = random_matrix<T>({.n = n, .per_row = 1, .seed = 5});
    const auto factors = factored(a);
    for (const auto& grid : grids_of(world_size())) {
      TriangularSolver<T> solver(MPI_COMM_WORLD, factors, {.grid = grid});
      EXPECT_LT(solve_error(solver, a, Op::none, 3), 100) << n << " on " << grid.name();
    }
  }
}

TEST(TriangularSolver, SolvesDisconnectedAndDiagonalMatrices) {
  for (const Index per_row : {0, 1}) {  // at one entry a row the graph falls into many components
    const auto a = random_matrix<double>({.n = 60, .per_row = per_row});
    const auto factors = factored(a);
    for (const auto& grid : grids_of(world_size())) {
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = grid});
      EXPECT_LT(solve_error(solver, a, Op::none, 2), 100) << grid.name();
    }
  }
}

TEST(TriangularSolver, RepeatedSolvesNeedNoBarrierAndStayRight) {
  const auto a = random_matrix<double>({.n = 200, .per_row = 2, .seed = 11});
  const auto factors = factored(a);
  for (const auto& grid : grids_of(world_size())) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = grid});
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Op op = repeat % 3 == 0 ? Op::transpose : Op::none;
      ASSERT_LT(solve_error(solver, a, op, 1 + repeat % 3), 500) << grid.name() << " repeat " << repeat;
    }
  }
}

TEST(TriangularSolver, RefusesAGridThatDoesNotFitOnEveryRank) {
  const auto factors = factored(random_matrix<double>({.n = 10}));
  const Index ranks = world_size();
  EXPECT_THROW(TriangularSolver<double>(MPI_COMM_WORLD, factors, {.grid = {ranks + 1, 1, 1}}), Error);
}

}  // namespace
}  // namespace trisweep::solve
