#include "trisweep/solve/refinement.hpp"

#include <gtest/gtest.h>

#include "support/solver.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/rows.hpp"

namespace trisweep::solve {
namespace {

using testing_support::random_matrix;
using testing_support::random_vector;
using testing_support::world_size;

// Everything a refined solve of op(A) x = b needs, factors in precision F.
template <Scalar T, Scalar F = T>
struct RefinedSystem {
  explicit RefinedSystem(const matrix::Csr<T>& matrix, double pivot_threshold = 0)
      : RefinedSystem(matrix, matrix, pivot_threshold) {}
  // With the factors of another matrix.
  RefinedSystem(const matrix::Csr<T>& matrix, const matrix::Csr<T>& other, double pivot_threshold = 0)
      : factors(std::make_shared<const Factorization<F>>(
            factor<F>(other, std::make_shared<const Analysis>(analyze(other)),
                      {.numeric = {.pivot_threshold = pivot_threshold}}))),
        solver(MPI_COMM_WORLD, factors, {.grid = distribution::square_grid(world_size())}),
        a(MPI_COMM_WORLD, &matrix, solver.partition()) {}

  Refined solve(Op op, const std::vector<T>& whole, Index nrhs, const RefinementOptions& options = {}) {
    const Index n = solver.partition().rows(), rows = a.local_rows();
    const auto b = scatter_rows(solver.comm(), solver.partition(), matrix::Dense<T>{n, nrhs, whole});
    x.resize(b.size());
    RefinedSolver<T, F> refined(a, solver);
    return refined.solve(op, {b.data(), rows, nrhs}, {x.data(), rows, nrhs}, options);
  }

  std::shared_ptr<const Factorization<F>> factors;
  TriangularSolver<F> solver;
  DistributedMatrix<T> a;
  std::vector<T> x;
};

template <class T>
class RefinementTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(RefinementTest, Scalars);

TYPED_TEST(RefinementTest, ReachesTheRoundoffForEveryOp) {
  using T = TypeParam;
  RefinedSystem<T> system(random_matrix<T>({.n = 90, .per_row = 3, .seed = 4}));
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const auto result = system.solve(op, random_vector<T>(90 * 3, 5), 3);
    EXPECT_LT(result.backward_error, 2 * std::numeric_limits<RealOf<T>>::epsilon());
  }
}

TEST(Refinement, FloatFactorsReachDoubleAccuracy) {
  RefinedSystem<double, float> system(random_matrix<double>({.n = 120, .per_row = 3, .seed = 8}));
  const auto result = system.solve(Op::none, random_vector<double>(120 * 2, 6), 2);
  EXPECT_LT(result.backward_error, 1e-15);
  EXPECT_GE(result.steps, 1);
}

// With every pivot below most of the largest entry replaced the factors are those of another matrix.
TEST(Refinement, GmresOvercomesPerturbedPivots) {
  auto matrix = random_matrix<double>({.n = 100, .per_row = 2, .seed = 10});
  RefinedSystem<double> system(matrix, 0.8);
  ASSERT_GT(system.factors->factors->perturbed_pivots, 0);
  EXPECT_LT(system.solve(Op::none, random_vector<double>(100, 3), 1).backward_error, 1e-14);
}

// With the factors of A / 4 a correction overshoots four times, and the error grows threefold with each: none
// is kept. (GMRES, which would repair it, has nothing to do because anything is acceptable.)
TEST(Refinement, NeverKeepsWhatMakesTheErrorLarger) {
  const auto a = random_matrix<double>({.n = 60, .per_row = 2, .seed = 12});
  auto quarter = a;
  for (double& value : quarter.value) value /= 4;
  RefinedSystem<double> system(a, quarter);
  const auto b = random_vector<double>(60, 3);
  const auto before = system.solve(Op::none, b, 1, {.max_steps = 0});
  const std::vector<double> x = system.x;
  const auto after = system.solve(Op::none, b, 1, {.acceptable = 1e10});
  EXPECT_EQ(after.steps, 0);
  EXPECT_EQ(after.backward_error, before.backward_error);
  EXPECT_EQ(system.x, x);
}

TEST(Refinement, EndsWhenNothingHelps) {
  RefinedSystem<double> system(random_matrix<double>({.n = 30, .seed = 2}));
  std::vector<double> b(30, 1.0);
  b[7] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(system.solve(Op::none, b, 1).backward_error, std::numeric_limits<double>::infinity());
}

TEST(Refinement, EndsOnSingularMatricesInLowPrecision) {
  matrix::Csr<double> ones{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 4}, .col = {0, 1, 0, 1}},
                           .value = {1, 1, 1, 1}};
  RefinedSystem<double, float> system(ones);
  const auto result = system.solve(Op::none, {1, -1}, 1);
  EXPECT_GE(result.backward_error, 0);
}

TEST(Refinement, ZeroRightHandSidesHaveNoError) {
  RefinedSystem<double> system(random_matrix<double>({.n = 20, .seed = 3}));
  EXPECT_EQ(system.solve(Op::none, std::vector<double>(20), 1).backward_error, 0);
  for (const double x : system.x) EXPECT_EQ(x, 0);
}

TEST(Condition, OfADiagonalMatrixIsExact) {
  constexpr Index n = 25;
  matrix::Csr<double> a;
  a.pattern = {.rows = n, .cols = n};
  for (Index i = 0; i < n; ++i) {
    a.pattern.col.push_back(i);
    a.value.push_back(i == 3 ? 1e-4 : 1.0);
    a.pattern.row_ptr.push_back(i + 1);
  }
  AnalysisOptions plain;
  plain.ordering.matching = plain.ordering.equilibrate = false;
  const auto factors = std::make_shared<const Factorization<double>>(factor<double>(
      a, std::make_shared<const Analysis>(analyze_as(numeric::Kind::lu, a, plain, silent_observer()))));
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors, {.grid = distribution::square_grid(world_size())});
  EXPECT_NEAR(estimate_condition(solver), 1e4, 1);
}

}  // namespace
}  // namespace trisweep::solve
