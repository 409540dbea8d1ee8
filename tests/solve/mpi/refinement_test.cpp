#include "trisweep/solve/refinement.hpp"

#include <gtest/gtest.h>

#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "support/whole_vectors.hpp"
#include "trisweep/solve/condition.hpp"

namespace trisweep::solve {
namespace {

using testing_support::random_matrix;
using testing_support::random_vector;
using testing_support::scatter_rows;
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

  // Of x, both whole vectors.
  BackwardError judge(Op op, const std::vector<T>& b_whole, const std::vector<T>& x_whole) {
    const Index n = solver.partition().rows(), rows = a.local_rows();
    const auto local = [&](const std::vector<T>& v) {
      return scatter_rows(solver.comm(), solver.partition(), matrix::Dense<T>{n, 1, v});
    };
    const auto b = local(b_whole), tried = local(x_whole);
    RefinedSolver<T> refined(a, solver);
    return refined.backward_error(op, {b.data(), rows, 1}, {tried.data(), rows, 1});
  }

  Refined solve(Op op, const std::vector<T>& whole, Index nrhs, const RefinementOptions& options = {}) {
    const Index n = solver.partition().rows(), rows = a.local_rows();
    const auto b = scatter_rows(solver.comm(), solver.partition(), matrix::Dense<T>{n, nrhs, whole});
    x.resize(b.size());
    RefinedSolver<T> refined(a, solver);
    return refined.solve(op, {b.data(), rows, nrhs}, {x.data(), rows, nrhs}, options);
  }

  std::shared_ptr<const Factorization<F>> factors;
  TriangularSolver<T> solver;
  krylov::DistributedMatrix<T> a;
  std::vector<T> x;
};

template <class T>
class RefinementTest : public testing::Test {};
TYPED_TEST_SUITE(RefinementTest, testing_support::Scalars);

TYPED_TEST(RefinementTest, ReachesTheRoundoffForEveryOp) {
  using T = TypeParam;
  RefinedSystem<T> system(random_matrix<T>({.n = 90, .per_row = 3, .seed = 4}));
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const auto result = system.solve(op, random_vector<T>(90 * 3, 5), 3, {.best = true});
    EXPECT_LT(result.error.componentwise, 2 * std::numeric_limits<RealOf<T>>::epsilon());
  }
}

// Oettli and Prager's quotient, equation by equation.
template <Scalar T>
double oettli_prager(const matrix::Csr<T>& a, Op op, const std::vector<T>& b, const std::vector<T>& x) {
  const auto size = [](const T& v) { return std::abs(std::real(v)) + std::abs(std::imag(v)); };
  matrix::Csr<T> sizes = a;
  for (T& v : sizes.value) v = size(v);
  std::vector<T> sizes_of_x(x.size()), product(x.size()), bound(x.size());
  std::transform(x.begin(), x.end(), sizes_of_x.begin(), size);
  matrix::multiply<T>(a, op, x, product);
  matrix::multiply<T>(sizes, op, sizes_of_x, bound);
  testing_support::Largest largest;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest.add(double(size(b[i] - product[i])) / (std::real(bound[i]) + size(b[i])));
  return largest.value();
}

TYPED_TEST(RefinementTest, JudgesEveryEquationByItsOwnTerms) {
  using T = TypeParam;
  auto matrix = random_matrix<T>({.n = 60, .per_row = 3, .seed = 9});
  const auto b = random_vector<T>(60, 3);
  auto x = random_vector<T>(60, 4);
  RefinedSystem<T> system(matrix);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const auto error = system.judge(op, b, x);
    EXPECT_NEAR(error.componentwise / oettli_prager(matrix, op, b, x), 1, 1e-4);
    // No denominator vanishes.
    EXPECT_NEAR(error.arioli_demmel_duff / error.componentwise, 1,
                4 * std::numeric_limits<RealOf<T>>::epsilon());
  }
}

// An equation a thousand times smaller than the others is not solved by a residual a thousand times smaller.
TEST(Refinement, IsNotDeceivedByUnits) {
  auto matrix = random_matrix<double>({.n = 40, .per_row = 3, .seed = 5});
  const auto x = random_vector<double>(40, 4);
  std::vector<double> b(40);
  matrix::multiply<double>(matrix, Op::none, x, b);
  RefinedSystem<double> plain(matrix);
  b[7] *= 1 + 1e-6;
  const auto error = plain.judge(Op::none, b, x);
  for (Offset p = matrix.pattern.row_ptr[7]; p < matrix.pattern.row_ptr[8]; ++p)
    matrix.value[usize(p)] *= 0x1p-40;
  b[7] *= 0x1p-40;
  RefinedSystem<double> scaled(matrix);
  EXPECT_EQ(scaled.judge(Op::none, b, x).componentwise, error.componentwise);
  EXPECT_GT(error.componentwise, 1e-8);
  EXPECT_LT(scaled.judge(Op::none, b, x).normwise, 1e-15);
  EXPECT_GE(scaled.solve(Op::none, b, 1).steps, 0);
  EXPECT_LT(scaled.judge(Op::none, b, x).normwise, error.normwise);
}

// x = (1, 1e-30): the equation of the small unknown has a denominator that says nothing.
TEST(Refinement, MeasuresVanishingEquationsByTypicalOnes) {
  matrix::Csr<double> a{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 4}, .col = {0, 1, 0, 1}},
                        .value = {1, 0.5, 0, 1}};
  RefinedSystem<double> system(a);
  const auto error = system.judge(Op::none, {1, 0}, {1, 1e-30});
  EXPECT_EQ(error.componentwise, 1);
  EXPECT_LT(error.arioli_demmel_duff, 1e-29);
}

// One block whose inverse has rounding errors everywhere: entries that should be zero are not, and small
// unknowns have no correct digit until they are corrected separately.
struct SmallUnknowns {
  static constexpr Index n = 24;
  matrix::Csr<double> a{.pattern = {.rows = n, .cols = n, .row_ptr = {0}, .col = {}}, .value = {}};
  std::vector<double> b = std::vector<double>(n);

  // The second half depends on the first by `entry` alone, and is in that unit.
  explicit SmallUnknowns(double entry, double unit = 1) {
    const auto values = random_vector<double>(n * n, 12);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const bool couples = i >= n / 2 && j < n / 2;
        a.pattern.col.push_back(j);
        a.value.push_back((couples ? entry : values[usize(i * n + j)]) / (j < n / 2 ? 1 : unit));
      }
      a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
    }
    b[3] = 1;
  }
};

TEST(Refinement, FindsUnknownsMuchSmallerThanOthers) {
  for (const double entry : {0.0, 1e-25}) {
    const auto [a, b] = SmallUnknowns(entry);
    RefinedSystem<double> system(a);
    const auto usual = system.solve(Op::none, b, 1);
    EXPECT_LT(usual.error.arioli_demmel_duff, 1e-14) << "coupled by " << entry;
    EXPECT_EQ(usual.small.equations > 0, usual.error.componentwise > 1e-13) << "coupled by " << entry;
    EXPECT_LT(usual.small.size, 1e-12);
    const auto result = system.solve(Op::none, b, 1, {.best = true});
    EXPECT_LT(result.error.componentwise, 1e-15) << "coupled by " << entry;
    EXPECT_EQ(result.small.equations, 0);
  }
}

// The second half is zero and comes out as rounding, here of factors that couple it. In the last of these
// units it is the largest: its equations look as if they had terms of their own.
TEST(Refinement, JudgesZerosInAnyUnits) {
  for (const double unit : {1e-40, 1.0, 1e40}) {
    const auto [a, b] = SmallUnknowns(0, unit);
    RefinedSystem<double> system(a, SmallUnknowns(1e-17, unit).a);
    ASSERT_GT(system.solve(Op::none, b, 1, {.max_steps = 0}).error.componentwise, 0.1) << unit;
    EXPECT_LT(system.solve(Op::none, b, 1).error.arioli_demmel_duff, 2.2e-15) << unit;
  }
}

// A = diag(1, 1e-8) has cond(A, x) = 2, whatever its condition number; an answer's error is at most that
// times its backward error.
TEST(Refinement, EstimatesTheConditionOfTheSolution) {
  matrix::Csr<double> a{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 1, 2}, .col = {0, 1}},
                        .value = {1, 1e-8}};
  RefinedSystem<double> system(a);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    RefinedSolver<double> refined(system.a, system.solver);
    const Index rows = system.a.local_rows();
    const auto b =
        scatter_rows(system.solver.comm(), system.solver.partition(), matrix::Dense<double>{2, 1, {1, 1e-8}});
    std::vector<double> x(b.size());
    refined.solve(op, {b.data(), rows, 1}, {x.data(), rows, 1}, {});
    const auto error = refined.forward_error(op, {b.data(), rows, 1}, {x.data(), rows, 1}, 1);
    EXPECT_NEAR(error.solution_condition, 2, 1e-12);
    EXPECT_GT(error.bound, 1e-16);
    EXPECT_LT(error.bound, 1e-15);
  }
}

TEST(Refinement, FloatFactorsReachDoubleAccuracy) {
  RefinedSystem<double, Single<double>> system(random_matrix<double>({.n = 120, .per_row = 3, .seed = 8}));
  const auto result = system.solve(Op::none, random_vector<double>(120 * 2, 6), 2);
  EXPECT_LT(result.error.componentwise, 1e-15);
  if (testing_support::has_single) EXPECT_GE(result.steps, 1);
}

// The first answer is within 10 epsilon: it is taken as it is, and corrected only when that is asked for.
TEST(Refinement, TakesTheFirstAnswerThatIsGood) {
  const auto a = random_matrix<double>({.n = 300, .per_row = 4, .seed = 14});
  RefinedSystem<double> system(a);
  const auto b = random_vector<double>(300 * 2, 6);
  const auto first = system.solve(Op::none, b, 2, {.max_steps = 0});
  ASSERT_LT(first.error.componentwise, 10 * 2.2e-16);
  EXPECT_EQ(system.solve(Op::none, b, 2).steps, 0);
  const auto best = system.solve(Op::none, b, 2, {.best = true});
  EXPECT_LT(best.error.componentwise, first.error.componentwise);
}

// Of two columns one is bad: the other is as it was, and is judged for itself.
TEST(Refinement, CorrectsOnlyTheColumnsThatNeedIt) {
  constexpr Index n = 40;
  auto a = random_matrix<double>({.n = n, .per_row = 3, .seed = 15});
  RefinedSystem<double> system(a);
  auto b = random_vector<double>(n * 3, 6);
  b[n + 7] = std::numeric_limits<double>::infinity();
  const auto result = system.solve(Op::none, b, 3);
  ASSERT_EQ(result.columns.size(), 3);
  EXPECT_LT(result.columns[0].arioli_demmel_duff, 1e-14);
  EXPECT_EQ(result.columns[1].arioli_demmel_duff, std::numeric_limits<double>::infinity());
  EXPECT_LT(result.columns[2].arioli_demmel_duff, 1e-14);
  EXPECT_EQ(result.worst, 1);
}

// Of two unknowns that have nothing to do with each other the factors belong to 0.4 and 10 times their
// equations: corrections make the small one better and the large one worse. That is not worth it.
TEST(Refinement, NeverLetsLargeUnknownsSufferForSmallOnes) {
  const auto diagonal = [](double large, double small) {
    return matrix::Csr<double>{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 1, 2}, .col = {0, 1}},
                               .value = {large, small}};
  };
  RefinedSystem<double> system(diagonal(1, 1), diagonal(0.4, 10));
  const auto result = system.solve(Op::none, {1, 1e-25}, 1, {.acceptable = 0.6, .best = true});
  EXPECT_LT(result.error.arioli_demmel_duff, 0.5);
  EXPECT_GT(result.error.componentwise, 0.6);
}

// Of two unknowns that have nothing to do with each other the factors have the small one to three digits,
// which its own equation alone can tell.
TEST(Refinement, CorrectsSmallUnknownsOfApproximateFactors) {
  const auto diagonal = [](double small) {
    return matrix::Csr<double>{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 1, 2}, .col = {0, 1}},
                               .value = {1, small}};
  };
  RefinedSystem<double> system(diagonal(1), diagonal(1.001));
  const std::vector<double> b{1, 1e-30, 1, 1};
  // What a right-hand side asks for is corrected in any case.
  EXPECT_LT(system.solve(Op::none, {1, 1e-30}, 1).error.componentwise, 1e-13);
  const auto result = system.solve(Op::none, b, 2, {.small_unknowns = true});
  EXPECT_LT(result.error.componentwise, 1e-13);
  EXPECT_LE(result.steps, 6);
}

// x = (1, 1e-13, 0): the factors have the second to three digits and couple the third to it, which no
// correction gives a correct digit. In other units the second may be as large as the first.
TEST(Refinement, CorrectsUnknownsThatAreSmallInSomeUnitsAlone) {
  const auto matrix = [](double middle, double coupling) {
    return matrix::Csr<double>{
        .pattern = {.rows = 3, .cols = 3, .row_ptr = {0, 1, 2, 4}, .col = {0, 1, 1, 2}},
        .value = {1, middle, coupling, 1}};
  };
  RefinedSystem<double> system(matrix(1, 0), matrix(1.001, 1e-5));
  const std::vector<double> b{1, 1e-13, 0};
  const auto first = system.solve(Op::none, b, 1, {.max_steps = 0});
  ASSERT_LT(first.error.arioli_demmel_duff, 2.2e-15);
  ASSERT_EQ(first.small.equations, 2);
  const auto result = system.solve(Op::none, b, 1);
  EXPECT_EQ(result.small.equations, 1);
  EXPECT_LT(result.small.size, 1e-20);
}

// With every pivot below most of the largest entry replaced the factors are those of another matrix.
TEST(Refinement, GmresOvercomesPerturbedPivots) {
  auto matrix = random_matrix<double>({.n = 100, .per_row = 2, .seed = 10});
  RefinedSystem<double> system(matrix, 0.8);
  ASSERT_GT(system.factors->factors->perturbed_pivots, 0);
  EXPECT_LT(system.solve(Op::none, random_vector<double>(100, 3), 1).error.componentwise, 1e-14);
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
  EXPECT_EQ(after.error.componentwise, before.error.componentwise);
  EXPECT_EQ(system.x, x);
}

// What GMRES then corrects is the solution that was kept, not the one that was tried last.
TEST(Refinement, CorrectsWhatItHasAndNotWhatItTried) {
  const auto a = random_matrix<double>({.n = 60, .per_row = 2, .seed = 12});
  auto quarter = a;
  for (double& value : quarter.value) value /= 4;
  RefinedSystem<double> system(a, quarter);
  EXPECT_LT(system.solve(Op::none, random_vector<double>(60, 3), 1).error.componentwise, 1e-14);
}

TEST(Refinement, EndsWhenNothingHelps) {
  RefinedSystem<double> system(random_matrix<double>({.n = 30, .seed = 2}));
  std::vector<double> b(30, 1.0);
  b[7] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(system.solve(Op::none, b, 1).error.componentwise, std::numeric_limits<double>::infinity());
}

TEST(Refinement, EndsOnSingularMatricesInLowPrecision) {
  matrix::Csr<double> ones{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 4}, .col = {0, 1, 0, 1}},
                           .value = {1, 1, 1, 1}};
  RefinedSystem<double, Single<double>> system(ones);
  const auto result = system.solve(Op::none, {1, -1}, 1);
  EXPECT_GE(result.error.componentwise, 0);
}

TEST(Refinement, ZeroRightHandSidesHaveNoError) {
  RefinedSystem<double> system(random_matrix<double>({.n = 20, .seed = 3}));
  EXPECT_EQ(system.solve(Op::none, std::vector<double>(20), 1).error.componentwise, 0);
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
