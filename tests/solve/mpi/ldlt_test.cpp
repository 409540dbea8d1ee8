// Solvers of symmetric and Hermitian indefinite systems: every op, storage and device, the inertia whatever
// the units, and LU where the matrix is not symmetric any more.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "support/hard_to_pivot.hpp"
#include "support/judged_error.hpp"
#include "support/scalars.hpp"
#include "support/sparse_rows.hpp"
#include "trisweep/numeric/kind.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::judged_error;
using testing_support::uneven_blocks;

constexpr std::array all_ops{Op::none, Op::transpose, Op::conjugate_transpose};

template <class T>
class Ldlt : public testing::Test {};
TYPED_TEST_SUITE(Ldlt, testing_support::Scalars);

// [H B; op(B) 0]: as many negative eigenvalues as it has constraints, where H is positive definite.
template <Scalar T>
matrix::Csr<T> saddle_point(Index n, bool hermitian) {
  const Index constraints = n / 3;
  std::vector<std::map<Index, T>> rows(usize(n + constraints));
  const auto join = [&](Index i, Index j, T value) {
    rows[usize(i)][j] = value;
    rows[usize(j)][i] = hermitian ? conjugate(value) : value;
  };
  for (Index i = 0; i < n; ++i) {
    rows[usize(i)][i] = T(4);
    if (i > 0) join(i, i - 1, T(RealOf<T>(i % 2 == 0 ? 1 : -1)));
  }
  for (Index c = 0; c < constraints; ++c) {
    T value(1);
    if constexpr (is_complex<T>) value = T(1, RealOf<T>(c % 3) - 1);
    join(n + c, 3 * c, value);
    join(n + c, 3 * c + 2, T(2));
  }
  return testing_support::csr_of(rows);
}

TYPED_TEST(Ldlt, SolvesEveryOpInEveryStorageOnEveryDevice) {
  using T = TypeParam;
  for (const bool hermitian : {false, true}) {
    if (!is_complex<T> && hermitian) continue;
    const auto a = saddle_point<T>(90, hermitian);
    const auto rows = uneven_blocks(a.rows());
    SolverOptions mixed{.mixed = !std::same_as<T, Single<T>>}, emulated{}, compressed{};
    emulated.device = engine::Device::emulated;
    compressed.compress.eps = 1e-4;
    for (const SolverOptions& options : {SolverOptions{}, mixed, emulated, compressed}) {
      Solver<T> solver(MPI_COMM_WORLD, testing_support::RowsOf<T>{rows.number}.of(a, false), options);
      for (const Op op : all_ops) {
        for (const Index nrhs : {1, 3}) EXPECT_LT(judged_error(solver, a, rows, op, nrhs), 2000);
      }
      const FactorReport& factor = solver.report().factor;
      EXPECT_EQ(factor.kind, hermitian ? "ldlh" : "ldlt");
      EXPECT_EQ(factor.nonzeros_u, 0);
      EXPECT_FALSE(factor.second_try);
      ASSERT_TRUE(factor.pivots);
      EXPECT_EQ(factor.pivots->has_signs, !is_complex<T> || hermitian);
      if (!factor.pivots->has_signs) continue;
      EXPECT_EQ(factor.pivots->positive, 90);
      EXPECT_EQ(factor.pivots->negative, 30);
      EXPECT_EQ(factor.pivots->zero, 0);
    }
  }
}

// D A D for D of powers of two: the same pivots, so the same inertia, and the determinant times D's squared.
TEST(Ldlt, IsTheSameInAnyUnits) {
  const auto a = saddle_point<double>(60, false);
  auto scaled = a;
  double logarithm = 0;
  const auto exponent = [](Index i) { return (i * 7) % 101 - 50; };
  for (Index i = 0; i < a.rows(); ++i) {
    logarithm += 2 * exponent(i) * std::log(2.0);
    for (const Offset e : a.pattern.entries(i))
      scaled.value[usize(e)] = std::ldexp(a.value[usize(e)], exponent(i) + exponent(a.pattern.col[usize(e)]));
  }
  const auto rows = uneven_blocks(a.rows());
  Solver<double> plain(MPI_COMM_WORLD, rows.of(a, false)), other(MPI_COMM_WORLD, rows.of(scaled, false));
  const auto &expected = *plain.report().factor.pivots, &found = *other.report().factor.pivots;
  EXPECT_EQ(found.positive, expected.positive);
  EXPECT_EQ(found.negative, expected.negative);
  EXPECT_EQ(other.report().factor.nonzeros_l, plain.report().factor.nonzeros_l);
  EXPECT_NEAR(found.log_modulus, expected.log_modulus + logarithm, 1e-9 * std::abs(logarithm));
  EXPECT_EQ(found.phase, expected.phase);
}

// New values of the pattern: symmetric ones keep the kind, others do not.
TEST(Ldlt, FactorsOtherValuesOfTheSamePattern) {
  auto a = saddle_point<double>(60, false);
  const auto rows = uneven_blocks(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  for (double& v : a.value) v *= -3;
  solver.refactor(rows.of(a, false).a.value);
  EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 2000);
  EXPECT_EQ(solver.report().factor.kind, "ldlt");
  EXPECT_EQ(solver.report().factor.pivots->negative, 60);
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i))
      if (a.pattern.col[usize(e)] > i) a.value[usize(e)] *= -0.5;
  }
  solver.refactor(rows.of(a, false).a.value);
  EXPECT_LT(judged_error(solver, a, rows, Op::transpose, 1), 2000);
  EXPECT_EQ(solver.report().factor.kind, "lu");
  EXPECT_FALSE(solver.report().factor.pivots);
}

// Stored zeros, of which some have no mirror image, and then some are none any more.
TEST(Ldlt, IsOfMatricesWhosePatternIsNotSymmetric) {
  const auto full = saddle_point<double>(60, false);
  matrix::Csr<double> a{{full.rows(), full.cols(), {0}, {}}, {}};
  for (Index i = 0; i < full.rows(); ++i) {
    std::map<Index, double> row;
    for (const Offset e : full.pattern.entries(i)) row[full.pattern.col[usize(e)]] = full.value[usize(e)];
    for (const Index step : {7, 19, 40}) row.try_emplace((i * step + 3) % full.rows(), 0.0);
    for (const auto& [j, value] : row) {
      a.pattern.col.push_back(j);
      a.value.push_back(value);
    }
    a.pattern.row_ptr.push_back(std::ssize(a.value));
  }
  const auto rows = uneven_blocks(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 2000);
  EXPECT_EQ(solver.report().factor.kind, "ldlt");
  EXPECT_EQ(solver.report().factor.pivots->negative, 20);
  *std::ranges::find(a.value, 0.0) = 0.25;
  solver.refactor(rows.of(a, false).a.value);
  EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 2000);
  EXPECT_EQ(solver.report().factor.kind, "lu");
}

TEST(Ldlt, IsChosenOrNotAsTheOptionSays) {
  const auto a = saddle_point<double>(60, false);
  const auto rows = uneven_blocks(a.rows());
  Solver<double> lu(MPI_COMM_WORLD, rows.of(a, false), {.kind = numeric::KindChoice::lu});
  EXPECT_LT(judged_error(lu, a, rows, Op::none, 1), 2000);
  EXPECT_EQ(lu.report().factor.kind, "lu");
  EXPECT_THROW(Solver<double>(MPI_COMM_WORLD, rows.of(a, false), {.kind = numeric::KindChoice::cholesky}),
               Error);
  const auto unsymmetric = testing_support::random_matrix<double>({.n = a.rows(), .per_row = 3, .seed = 1});
  EXPECT_THROW(
      Solver<double>(MPI_COMM_WORLD, rows.of(unsymmetric, false), {.kind = numeric::KindChoice::ldlt}),
      Error);
}

// Weak diagonals, and constraints that leave zeros on them: pivots of order 2 and delays.
TEST(Ldlt, SolvesSaddlePointsThatAreHardToPivot) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto a = testing_support::with_phases<double>(testing_support::saddle_point(120, seed));
    const auto rows = uneven_blocks(a.rows());
    Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
    EXPECT_LT(judged_error(solver, a, rows, Op::none, 2), 1e6);
    EXPECT_EQ(solver.report().factor.kind, "ldlt");
    const auto& pivots = *solver.report().factor.pivots;
    EXPECT_EQ(pivots.positive + pivots.negative, a.rows());
  }
}

}  // namespace
}  // namespace trisweep::solve
