// Matrices that are awkward and solves that follow each other, on every grid of the ranks at hand. What every
// variant must do is in variants_test.cpp.

#include "trisweep/solve/triangular_solver.hpp"

#include <gtest/gtest.h>

#include "support/scalars.hpp"
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
TYPED_TEST_SUITE(TriangularSolverTest, testing_support::DoubleScalars);

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

// The fronts of a structure with delayed pivots are made when new values are factored with it.
TEST(TriangularSolver, KeepsItsPlanWhereFactorsHaveItsStructure) {
  const auto a = random_matrix<double>({.n = 200, .per_row = 2, .seed = 11});
  const auto factors = factored(a);
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = grids_of(world_size()).front()});
  std::shared_ptr<Factorization<double>> same;
  if (factors) {
    same = std::make_shared<Factorization<double>>(*factors);
    same->analysis = std::make_shared<const Analysis>(*factors->analysis);
  }
  EXPECT_TRUE(solver.refill(std::shared_ptr<const Factorization<double>>(same)));
  EXPECT_FALSE(solver.refill(factored(a)));
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

// The same numbers in T.
template <Scalar T, class S>
std::shared_ptr<const Factorization<T>> widened(const Factorization<S>& f) {
  const auto wide = [](const Buffer<S>& values) {
    Buffer<T> copy(values.size(), "factors");
    std::copy_n(values.data(), values.size(), copy.data());
    return copy;
  };
  const numeric::Factors<S>& low = *f.factors;
  auto factors = std::make_shared<numeric::Factors<T>>();
  factors->structure = low.structure;
  factors->kind = low.kind;
  factors->panel_ptr = low.panel_ptr;
  factors->diagonal_ptr = low.diagonal_ptr;
  factors->lower = wide(low.lower);
  factors->diagonal = wide(low.diagonal);
  factors->upper = wide(low.upper);
  return std::make_shared<const Factorization<T>>(
      Factorization<T>{.analysis = f.analysis, .factors = factors, .scaled_norm_one = f.scaled_norm_one});
}

// Panels in half the bytes give what they give in T, whose vectors and sums they have.
template <Scalar T>
void expect_panels_to_be_widened(bool hermitian) {
  const auto a = random_matrix<T>({.n = 150, .per_row = 3, .hermitian = hermitian, .seed = 3});
  const auto low = factored(matrix::convert<Single<T>>(a));
  for (const auto& grid : grids_of(world_size())) {
    TriangularSolver<T> narrow(MPI_COMM_WORLD, low, {.grid = grid});
    TriangularSolver<T> wide(MPI_COMM_WORLD, widened<T>(*low), {.grid = grid});
    EXPECT_EQ(2 * narrow.panel_bytes(), wide.panel_bytes());
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (const Index nrhs : {1, 7}) {
        const testing_support::Problem<T> problem(wide, a, op, nrhs);
        const auto x = problem.solve_with(narrow);
        EXPECT_LT(testing_support::largest_difference(x, problem.solve_with(wide)), 1e-13) << grid.name();
        EXPECT_LT(testing_support::largest_difference(x, problem.truth), 1e-3) << grid.name();
      }
    }
    if (!narrow.refill(low)) ADD_FAILURE() << "factors of the same analysis are refused";
    EXPECT_LT(solve_error(narrow, a, Op::none, 2), 1e13);
  }
}

TEST(TriangularSolver, WidensRealPanelsOfLowerPrecision) {
  if (!testing_support::has_single) GTEST_SKIP() << "this build has no single precision";
  expect_panels_to_be_widened<double>(false);
  expect_panels_to_be_widened<double>(true);
}

TEST(TriangularSolver, WidensComplexPanelsOfLowerPrecision) {
  if (!testing_support::has_single) GTEST_SKIP() << "this build has no single precision";
  expect_panels_to_be_widened<std::complex<double>>(false);
}

TEST(TriangularSolver, RefusesAGridThatDoesNotFitOnEveryRank) {
  const auto factors = factored(random_matrix<double>({.n = 10}));
  const Index ranks = world_size();
  EXPECT_THROW(TriangularSolver<double>(MPI_COMM_WORLD, factors, {.grid = {ranks + 1, 1, 1}}), Error);
}

}  // namespace
}  // namespace trisweep::solve
