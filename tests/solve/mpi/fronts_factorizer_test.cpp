// Our factorization by all ranks: what one alone makes, wherever fronts are.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "gallery/gallery.hpp"
#include "support/factor_engine.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/scalars.hpp"
#include "trisweep/distribution/front_owners.hpp"
#include "trisweep/solve/analyzed_system.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::error_of_solver;
using testing_support::every_op;
using testing_support::grids_of;
using testing_support::random_matrix;
using testing_support::scattered_rows;
using testing_support::solve_known;
using testing_support::weak_diagonal;
using testing_support::world_rank;
using testing_support::world_size;

template <Scalar T>
matrix::Csr<T> laplacian(Index side) {
  return matrix::convert<T>(std::get<matrix::Csr<double>>(gallery::make_matrix("poisson3d", {.n = side})));
}

template <class T>
class FactorsOfAllRanks : public testing::Test {};
TYPED_TEST_SUITE(FactorsOfAllRanks, testing_support::Scalars);

TYPED_TEST(FactorsOfAllRanks, SolveWhereRowsAre) {
  using T = TypeParam;
  for (const auto& a : {weak_diagonal<T>(), random_matrix<T>({.n = 400, .per_row = 2, .seed = 7})}) {
    const auto rows = scattered_rows<T>(a.rows());
    for (const int threads : {1, 2}) {
      Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), {.threads = threads});
      EXPECT_EQ(solver.report().factor.kind, "lu");
      for (const Op op : every_op) {
        const auto made = solve_known(solver, a, rows, op);
        EXPECT_TRUE(made.answer.solved()) << static_cast<char>(op);
        EXPECT_LT(made.error, 1e4 * std::numeric_limits<RealOf<T>>::epsilon()) << static_cast<char>(op);
      }
      EXPECT_FALSE(solver.report().factor.second_try);
    }
  }
}

TYPED_TEST(FactorsOfAllRanks, HaveAnyPlan) {
  using T = TypeParam;
  const auto a = laplacian<T>(7);
  const auto rows = scattered_rows<T>(a.rows());
  for (const auto& grid : grids_of(world_size())) {
    for (const char* mapping : {"block-cyclic", "proportional"}) {
      SolverOptions with;
      with.plan = model::only({.grid = grid, .mapping = mapping});
      with.compress.eps = mapping[0] == 'p' ? 1e-5 : 0;
      Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), with);
      EXPECT_EQ(solver.report().factor.kind, "cholesky");
      EXPECT_LT(solve_known(solver, a, rows).error, 1e5 * std::numeric_limits<RealOf<T>>::epsilon())
          << grid.name() << mapping;
    }
  }
}

// Factors in single precision, also of entries that have a place there once they are scaled.
TYPED_TEST(FactorsOfAllRanks, OfMixedPrecision) {
  using T = TypeParam;
  if constexpr (testing_support::has_single && !std::same_as<T, Single<T>>) {
    for (const double unit : {1.0, 1e-60}) {
      auto a = weak_diagonal<T>();
      for (Offset e = a.pattern.row_ptr[7]; e < a.pattern.row_ptr[8]; ++e) a.value[usize(e)] *= unit;
      const auto rows = scattered_rows<T>(a.rows());
      SolverOptions mixed;
      mixed.mixed = true;
      Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), mixed);
      const auto made = solve_known(solver, a, rows);
      EXPECT_TRUE(made.answer.solved()) << unit;
      EXPECT_LT(made.error, 1e-11) << unit;
      EXPECT_FALSE(solver.report().factor.second_try) << unit;
    }
  }
}

// The eigenvalues of the 3D Laplacian are known.
TEST(FrontsOfAllRanks, HaveTheInertiaOfTheShiftedLaplacian) {
  constexpr Index side = 6;
  constexpr double shift = 2.3;
  auto a = laplacian<double>(side);
  Index negative = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    double value = -shift;
    for (Index step = 1, k = i; step <= 3; ++step, k /= side)
      value += 2 - 2 * std::cos(std::numbers::pi * double(k % side + 1) / (side + 1));
    negative += value < 0;
    for (const Offset e : a.pattern.entries(i))
      if (a.pattern.col[usize(e)] == i) a.value[usize(e)] -= shift;
  }
  ASSERT_GT(negative, 0);
  const auto rows = scattered_rows<double>(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true));
  EXPECT_LT(solve_known(solver, a, rows).error, 1e-10);
  const FactorReport& report = solver.report().factor;
  EXPECT_EQ(report.kind, "ldlt");  // though it looked definite
  ASSERT_TRUE(report.pivots);
  EXPECT_EQ(report.pivots->negative, negative);
  EXPECT_EQ(report.pivots->positive, a.rows() - negative);
  Solver<double> alone(MPI_COMM_SELF, {.a = a});
  ASSERT_TRUE(alone.report().factor.pivots);
  EXPECT_NEAR(report.pivots->log_modulus, alone.report().factor.pivots->log_modulus, 1e-8);
}

// Pivots are not on the diagonal: fronts delay them, to parents on other ranks too.
TEST(FrontsOfAllRanks, DelayPivots) {
  Index delayed = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto a = testing_support::with_phases<double>(testing_support::integer_basis(200, 2, seed));
    const auto rows = scattered_rows<double>(a.rows());
    Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true));
    delayed += solver.report().factor.delayed_pivots;
    EXPECT_FALSE(solver.report().factor.second_try);
    for (const Op op : every_op) EXPECT_TRUE(solve_known(solver, a, rows, op).answer.solved()) << seed;
    EXPECT_FALSE(solver.report().factor.second_try) << seed;
    solver.refactor(rows.of(a, true).a.value);
    EXPECT_TRUE(solve_known(solver, a, rows).answer.solved()) << seed;
  }
  EXPECT_GT(delayed, 0);
}

// Not as the values before required.
TEST(FrontsOfAllRanks, BeginWithAnAnalysisAsItWasMade) {
  const auto a = testing_support::with_phases<double>(testing_support::integer_basis(200, 2, 1));
  const auto rows = scattered_rows<double>(a.rows());
  const AnalyzedSystem<double> analyzed(MPI_COMM_WORLD, rows.of(a, true));
  const std::vector<double> values = rows.of(a, true).a.value;
  auto solver = analyzed.factorize(MPI_COMM_WORLD, values);
  const Index delayed = solver.report().factor.delayed_pivots;
  EXPECT_GT(delayed, 0);
  for (int round = 0; round < 2; ++round) {
    analyzed.factorize_into(solver, values);
    EXPECT_EQ(solver.report().factor.delayed_pivots, delayed);
    EXPECT_TRUE(solve_known(solver, a, rows).answer.solved());
  }
  solver.refactor(values);
  EXPECT_EQ(solver.report().factor.delayed_pivots, 0);
}

// Rows 30 and 31 are the same. Only conservative factors, made by all ranks too, may call a matrix singular.
TEST(FrontsOfAllRanks, ChoosePivotsConservativelyInTheSecondTry) {
  auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 9});
  matrix::Csr<double> twice{{60, 60, {0}, {}}, {}};
  for (Index i = 0; i < 60; ++i) {
    const Index from = i == 31 ? 30 : i;
    for (const Offset e : a.pattern.entries(from)) {
      twice.pattern.col.push_back(a.pattern.col[usize(e)]);
      twice.value.push_back(a.value[usize(e)]);
    }
    twice.pattern.row_ptr.push_back(std::ssize(twice.value));
  }
  const auto rows = scattered_rows<double>(60);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(twice, true));
  std::vector<double> b(usize(solver.rows()), 1.0), x(b.size());
  for (std::size_t k = 0; k < b.size(); ++k) b[k] += rows.number[k] == 31 ? 1 : 0;
  const Answer answer = solver.solve(b, x);
  EXPECT_FALSE(answer.solved());
  EXPECT_TRUE(answer.singular);
  EXPECT_TRUE(solver.report().factor.second_try);
}

TEST(FrontsOfAllRanks, TakeOtherValuesOfThePattern) {
  const auto a = laplacian<double>(6);
  const auto rows = scattered_rows<double>(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true));
  const Index supernodes = solver.report().factor.supernodes;
  auto larger = a, unsymmetric = a, indefinite = a;
  for (double& value : larger.value) value *= 3;
  for (std::size_t e = 0; e < a.value.size(); e += 3) unsymmetric.value[e] *= 0.75;
  for (double& value : indefinite.value) value = value > 0 ? 0.5 : value;
  const auto expect = [&](const matrix::Csr<double>& next, const char* kind) {
    solver.refactor(rows.of(next, true).a.value);
    EXPECT_TRUE(solve_known(solver, next, rows, Op::transpose).answer.solved()) << kind;
    EXPECT_EQ(solver.report().factor.kind, kind);
  };
  expect(larger, "cholesky");
  EXPECT_EQ(solver.report().factor.supernodes, supernodes);
  expect(unsymmetric, "lu");
  expect(a, "lu");
  expect(indefinite, "lu");
  Solver<double> symmetric(MPI_COMM_WORLD, rows.of(a, true));
  symmetric.refactor(rows.of(indefinite, true).a.value);
  EXPECT_EQ(symmetric.report().factor.kind, "ldlt");
}

// Whether values suit a kind is a matter of all their digits, and of the diagonal.
TEST(FrontsOfAllRanks, AreOfTheKindOfTheirValues) {
  const auto a = laplacian<std::complex<double>>(5);
  const auto rows = scattered_rows<std::complex<double>>(a.rows());
  auto rotated = a;
  for (Index i = 0; i < a.rows(); ++i) {
    const auto row = a.pattern.row(i);
    const auto diagonal = std::ranges::find(row, i) - row.begin();
    rotated.value[usize(a.pattern.row_ptr[usize(i)] + diagonal)] += std::complex<double>(0, 2);
  }
  Solver<std::complex<double>> solver(MPI_COMM_WORLD, rows.of(a, true));
  EXPECT_EQ(solver.report().factor.kind, "cholesky");
  solver.refactor(rows.of(rotated, true).a.value);
  EXPECT_EQ(solver.report().factor.kind,
            Solver<std::complex<double>>(MPI_COMM_WORLD, rows.of(rotated, true)).report().factor.kind);
  EXPECT_TRUE(solve_known(solver, rotated, rows).answer.solved());
}

TEST(FrontsOfAllRanks, AreNotSymmetricOnlyAsRounded) {
  if (!testing_support::has_single) GTEST_SKIP() << "this build has no single precision";
  const auto a = laplacian<double>(5);
  const auto rows = scattered_rows<double>(a.rows());
  auto nearly = a;
  for (std::size_t e = 0; e < a.value.size(); e += 3) nearly.value[e] *= 1 + 1e-10;
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), {.mixed = true});
  solver.refactor(rows.of(nearly, true).a.value);
  EXPECT_EQ(solver.report().factor.kind, "lu");
}

// Fronts of 256 rows and more are shared. Values make the Laplacian unsymmetric, indefinite or complex.
template <Scalar T>
matrix::Csr<T> with_values(matrix::Csr<T> a, numeric::Kind kind) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i)) {
      const Index j = a.pattern.col[usize(e)];
      T& value = a.value[usize(e)];
      if (kind == numeric::Kind::lu && i < j) value *= RealOf<T>(0.5);
      if (kind == numeric::Kind::ldlt && i == j) value = T(i % 3 == 0 ? -6.5F : 6.5F);
      if constexpr (is_complex<T>) {
        if (kind != numeric::Kind::cholesky && i == j) value += T(0, kind == numeric::Kind::lu ? 2 : 1);
      }
    }
  }
  return a;
}

template <class T>
class SharedFronts : public testing::Test {};
TYPED_TEST_SUITE(SharedFronts, testing_support::Scalars);

TYPED_TEST(SharedFronts, MakeTheFactorsOfOneRank) {
  using T = TypeParam;
  for (const auto kind : {numeric::Kind::lu, numeric::Kind::cholesky, numeric::Kind::ldlt}) {
    const auto a = with_values(laplacian<T>(14), kind);
    const auto rows = scattered_rows<T>(a.rows());
    for (const char* diagonal : {"supernodes", "separators"}) {
      SolverOptions options;
      options.plan = model::only({.grid = grids_of(world_size()).back(), .diagonal = diagonal});
      Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), options);
      const FactorReport& report = solver.report().factor;
      EXPECT_EQ(report.kind, numeric::describe(kind).name);
      for (const Op op : every_op) {
        const auto made = solve_known(solver, a, rows, op);
        EXPECT_TRUE(made.answer.solved()) << report.kind << diagonal;
        EXPECT_EQ(made.answer.refinement_steps, 0) << report.kind << diagonal;
        EXPECT_LT(made.error, 1e3 * std::numeric_limits<RealOf<T>>::epsilon()) << report.kind << diagonal;
      }
      if (kind != numeric::Kind::ldlt) continue;
      SolverOptions of_one;
      of_one.plan = model::only({.grid = {1, 1, 1}, .diagonal = diagonal});
      Solver<T> alone(MPI_COMM_SELF, {.a = a}, of_one);
      EXPECT_EQ(report.pivots->negative, alone.report().factor.pivots->negative);
      EXPECT_NEAR(report.pivots->log_modulus, alone.report().factor.pivots->log_modulus,
                  1e3 * std::numeric_limits<RealOf<T>>::epsilon() * a.rows());
    }
  }
}

// Rows are exchanged within arrowheads, of which a whole separator has several.
TYPED_TEST(SharedFronts, ExchangeRows) {
  using T = TypeParam;
  constexpr Index n = 260;
  auto a = random_matrix<T>({.n = n, .per_row = 3 * n, .seed = 2});
  for (Index i = 0; i < n; ++i) {
    for (const Offset e : a.pattern.entries(i))
      if (a.pattern.col[usize(e)] == i) a.value[usize(e)] = T(RealOf<T>(4));
  }
  const auto rows = scattered_rows<T>(n);
  for (const char* diagonal : {"supernodes", "separators"}) {
    SolverOptions options;
    options.plan = model::only({.grid = grids_of(world_size()).back(), .diagonal = diagonal});
    Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), options);
    EXPECT_EQ(solver.report().factor.delayed_pivots, 0);
    for (const Op op : every_op) {
      const auto made = solve_known(solver, a, rows, op);
      EXPECT_TRUE(made.answer.solved()) << diagonal;
      EXPECT_LT(made.answer.refinement_steps, 3) << diagonal;
    }
  }
}

// Of more entries than are under way at once.
TEST(FrontsOfAllRanks, BringPanelsInRounds) {
  const auto a = with_values(laplacian<double>(20), numeric::Kind::lu);
  const auto rows = scattered_rows<double>(a.rows());
  for (const char* diagonal : {"supernodes", "separators"}) {
    SolverOptions options;
    options.plan = model::only({.grid = grids_of(world_size()).back(), .diagonal = diagonal});
    Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), options);
    for (const Op op : {Op::none, Op::transpose}) {
      const auto made = solve_known(solver, a, rows, op);
      EXPECT_TRUE(made.answer.solved()) << diagonal;
      EXPECT_EQ(made.answer.refinement_steps, 0) << diagonal;
    }
  }
}

TEST(FrontsOfAllRanks, AreNotSharedWherePivotsAreDelayed) {
  const auto a = testing_support::with_phases<double>(testing_support::integer_basis(500, 8, 1));
  ASSERT_FALSE(distribution::FrontOwners(*analyze(a, {}).structure, 4, numeric::Kind::lu).shared.empty());
  const auto rows = scattered_rows<double>(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true));
  EXPECT_GT(solver.report().factor.delayed_pivots, 0);
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(solver.report().factor.second_try);
    EXPECT_TRUE(solve_known(solver, a, rows).answer.solved()) << round;
    solver.refactor(rows.of(a, true).a.value);
  }
}

// Subtrees, singular by themselves, delay pivots to a front that would be shared: its own are good.
TEST(FrontsOfAllRanks, AreNotSharedWhereChildrenDelayPivots) {
  constexpr Index leaves = 4, leaf = 60, dense = 400, n = leaves * leaf + dense;
  testing_support::SparseRows all(usize(n));
  std::mt19937_64 random(1);
  for (Index l = 0; l < leaves; ++l) {
    auto block = testing_support::integer_basis(leaf, 3, usize(l) + 1);
    block[0] = block[1];
    for (Index i = 0; i < leaf; ++i) {
      for (const auto& [j, value] : block[usize(i)]) all[usize(l * leaf + i)][l * leaf + j] = value;
      const auto neighbour = static_cast<Index>(leaves * leaf + random() % dense);
      all[usize(l * leaf + i)][neighbour] = all[usize(neighbour)][l * leaf + i] = 1;
    }
  }
  for (Index i = leaves * leaf; i < n; ++i) {
    for (Index j = leaves * leaf; j < n; ++j)
      all[usize(i)][j] = i == j ? 1e4 : testing_support::random_value<double>(random);
  }
  const auto a = testing_support::with_phases<double>(all);
  const auto rows = scattered_rows<double>(n);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true));
  EXPECT_GT(solver.report().factor.delayed_pivots, 0);
  EXPECT_TRUE(solve_known(solver, a, rows).answer.solved());
  EXPECT_FALSE(solver.report().factor.second_try);
}

TEST(FrontsOfAllRanks, FailAlikeOnAllRanks) {
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  auto a = weak_diagonal<double>();
  for (Offset e = a.pattern.row_ptr[7]; e < a.pattern.row_ptr[8]; ++e) a.value[usize(e)] = 0;
  EXPECT_TRUE(has(error_of_solver(a), "singular"));
  SolverOptions cholesky;
  cholesky.kind = numeric::KindChoice::cholesky;
  EXPECT_TRUE(has(error_of_solver(weak_diagonal<double>(), cholesky), "not Hermitian"));
}

TEST(FrontsOfAllRanks, SolveSystemsOfAnySize) {
  for (const Index n : {1, 2, 3, 5, 12}) {
    const auto a = testing_support::rotation(n);
    const auto rows = scattered_rows<double>(n);
    Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true));
    EXPECT_LT(solve_known(solver, a, rows).error, 1e-14) << n;
  }
}

// No connection between its parts: fronts of several roots.
TEST(FrontsOfAllRanks, SolveSeparateParts) {
  matrix::Csr<double> a{{90, 90, {0}, {}}, {}};
  for (Index i = 0; i < 90; ++i) {
    for (const Index j : {i / 3 * 3, i / 3 * 3 + 1, i / 3 * 3 + 2}) {
      a.pattern.col.push_back(j);
      a.value.push_back(i == j ? 4 : 1 + 0.1 * double(i % 7));
    }
    a.pattern.row_ptr.push_back(std::ssize(a.value));
  }
  const auto rows = scattered_rows<double>(90);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true));
  EXPECT_LT(solve_known(solver, a, rows).error, 1e-13);
}

}  // namespace
}  // namespace trisweep::solve
