#include "trisweep/solve/solver.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <random>

#include "support/collective_error.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/judged_error.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/engine/recorder.hpp"
#include "trisweep/solve/analyzed_system.hpp"

namespace trisweep::solve {
namespace {

using testing::HasSubstr;
using testing_support::judged_error;
using testing_support::random_matrix;
using testing_support::random_vector;
using testing_support::RowsOf;
using testing_support::scattered;
using testing_support::uneven_blocks;
using testing_support::world_rank;
using testing_support::world_size;

template <class T>
class SolverTest : public testing::Test {};
TYPED_TEST_SUITE(SolverTest, testing_support::Scalars);

TYPED_TEST(SolverTest, SolvesForRowsAsTheCallerHasThem) {
  using T = TypeParam;
  constexpr Index n = 83;
  const auto a = random_matrix<T>({.n = n, .per_row = 3, .seed = 4});
  for (const bool listed : {false, true}) {
    const RowsOf<double> rows = listed ? scattered(n) : uneven_blocks(n);
    Solver<T> solver(MPI_COMM_WORLD, RowsOf<T>{rows.number}.of(a, listed));
    EXPECT_EQ(solver.rows(), std::ssize(rows.number));
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (const Index nrhs : {1, 5}) EXPECT_LT(judged_error(solver, a, rows, op, nrhs), 1000) << listed;
    }
  }
}

// As garbage collectors destroy it: half of the ranks before the others go on, and in another order.
TEST(Solver, IsDestroyedLocallyInAnyOrder) {
  const auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 7});
  const auto rows = uneven_blocks(60);
  for (const char* transport : {"two-sided", "one-sided", "shared"}) {
    model::PlanAxes axes = model::all_axes(world_size(), {transport});
    std::vector<std::optional<Solver<double>>> solvers(2);
    for (auto& solver : solvers) {
      solver.emplace(MPI_COMM_WORLD, rows.of(a, false),
                     SolverOptions{.plan = axes, .usual_transport = false});
      EXPECT_LT(judged_error(*solver, a, rows, Op::none, 2), 1000) << transport;
      solver->destroy_locally();
    }
    if (world_rank() % 2 == 0) solvers[0].reset();
    mpi::Communicator(MPI_COMM_WORLD).max(0.0);
    solvers[1].reset();
    mpi::Communicator(MPI_COMM_WORLD).max(0.0);
    solvers[0].reset();
  }
}

TEST(Solver, HasARankZerosMatrixInEvenBlocks) {
  const auto a = random_matrix<double>({.n = 40, .per_row = 3, .hermitian = true, .seed = 2});
  Solver<double> solver(MPI_COMM_WORLD,
                        dealt_out(MPI_COMM_WORLD, world_rank() == 0 ? a : matrix::Csr<double>()));
  RowsOf<double> rows;
  for (Index i = 0; i < solver.rows(); ++i) rows.number.push_back(solver.partition().first(world_rank()) + i);
  EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 1000);
  if (world_rank() == 0) EXPECT_EQ(solver.report().factor.kind, "cholesky");
}

TEST(Solver, TakesFactorsOfLowerPrecisionToFullAccuracy) {
  if (!testing_support::has_single) GTEST_SKIP() << "this build has no single precision";
  auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 9});
  const auto rows = uneven_blocks(60);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false), {.mixed = true});
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose})
    EXPECT_LT(judged_error(solver, a, rows, op, 2), 1000);
  for (double& v : a.value) v *= 3;
  solver.refactor(rows.of(a, false).a.value);
  EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 1000);
  if (world_rank() == 0) {
    const auto& factor = solver.report().factor;
    EXPECT_LT(factor.bytes, sizeof(double) * usize(factor.nonzeros_l + factor.nonzeros_u));
    EXPECT_FALSE(factor.second_try);
  }
}

// Before its first solve, and when it has room for some ranks' calls.
TEST(Solver, IsAsBeforeWhenRanksCallWithDifferentThings) {
  if (world_size() == 1) GTEST_SKIP() << "one rank differs from nobody";
  const auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 9});
  const auto rows = uneven_blocks(60);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false), {});
  const Index mine = solver.rows();
  const bool differs = world_rank() + 1 == world_size();
  std::vector<double> b(usize(mine) * 3, 1.0), x(b.size());
  for (int round = 0; round < 2; ++round) {
    for (const Index nrhs : {2, 3}) {
      const Index now = differs ? nrhs : 2;
      EXPECT_THROW(solver.solve({b.data(), mine, now}, {x.data(), mine, now},
                                differs && nrhs == 2 ? Op::transpose : Op::none),
                   Error);
    }
    EXPECT_LT(judged_error(solver, a, rows, Op::none, 2), 1000);
  }
}

// The values of the other ranks are so large that the system would be solved in other units.
TEST(Solver, IsAsBeforeWhenARankHasAValueTooMany) {
  const auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 9});
  for (const bool listed : {false, true}) {
    const auto rows = listed ? scattered(60) : uneven_blocks(60);
    Solver<double> solver(MPI_COMM_WORLD, rows.of(a, listed));
    std::vector<double> values(rows.of(a, listed).a.value.size(), 1e300);
    if (world_rank() + 1 == world_size()) values.push_back(1e300);
    EXPECT_THROW(solver.refactor(values), Error);
    EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 1000);
  }
}

// By values that leave a column empty.
TEST(Solver, HasNoFactorsAfterARefactorThatFailed) {
  auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 9});
  const auto rows = uneven_blocks(60);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  const std::vector<double> values = rows.of(a, false).a.value;
  for (std::size_t e = 0; e < a.value.size(); ++e)
    if (a.pattern.col[e] == 0) a.value[e] = 0;
  engine::Recorder recorder(solver.report().threads);
  EXPECT_THROW(solver.refactor(rows.of(a, false).a.value), Error);
  for (const auto& use :
       std::vector<std::function<void()>>{[&] { solver.report(); }, [&] { solver.prepare(Op::none, 1); },
                                          [&] { solver.record_in(&recorder); }})
    EXPECT_THROW(use(), Error);
  solver.refactor(values);
  solver.record_in(&recorder);
  std::vector<double> x(usize(solver.rows()), 1.0);
  solver.sweep({x.data(), solver.rows(), 1}, {x.data(), solver.rows(), 1});
  EXPECT_FALSE(recorder.all().empty());
}

// One value of one rank, in either part; others are near the largest number.
TEST(Solver, IsAsBeforeWhenAValueIsNotFinite) {
  using Complex = std::complex<double>;
  const auto a = random_matrix<Complex>({.n = 60, .per_row = 3, .seed = 9});
  for (const bool listed : {false, true}) {
    const auto rows = listed ? scattered(60) : uneven_blocks(60);
    const RowsOf<Complex> own{rows.number};
    Solver<Complex> solver(MPI_COMM_WORLD, own.of(a, listed));
    for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
      for (const Complex& value : {Complex(bad, 0), Complex(0, -bad)}) {
        std::vector<Complex> values(own.of(a, listed).a.value.size(), 1e300);
        if (world_rank() + 1 == world_size()) values.back() = value;
        try {
          solver.refactor(values);
          ADD_FAILURE() << value;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::input);
          EXPECT_THAT(error.what(), HasSubstr("not finite"));
        }
        EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 1000);
      }
    }
  }
}

// New values of the same pattern, up to ones that Cholesky refuses.
TEST(Solver, FactorsOtherValuesOfTheSamePattern) {
  constexpr Index n = 50;
  auto a = random_matrix<double>({.n = n, .per_row = 3, .hermitian = true, .seed = 6});
  for (const bool listed : {false, true}) {
    const auto rows = listed ? scattered(n) : uneven_blocks(n);
    Solver<double> solver(MPI_COMM_WORLD, rows.of(a, listed));
    auto other = a;
    for (const double factor : {2.0, -3.0}) {
      for (double& v : other.value) v *= factor;
      solver.refactor(rows.of(other, listed).a.value);
      EXPECT_LT(judged_error(solver, other, rows, Op::none, 1), 1000);
    }
    if (world_rank() == 0) EXPECT_EQ(solver.report().factor.kind, "ldlt");
  }
}

// Pivots that were delayed are then planned where they were eliminated, until other values need others.
TEST(Solver, FactorsOtherValuesWithDelayedPivots) {
  constexpr Index n = 300;
  auto a = testing_support::with_phases<double>(testing_support::integer_basis(n, 1, 2));
  const auto rows = uneven_blocks(n);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  if (world_rank() == 0) EXPECT_GT(solver.report().factor.delayed_pivots, 0);
  for (int round = 0; round < 2; ++round) {
    for (double& v : a.value) v *= -3;
    solver.refactor(rows.of(a, false).a.value);
    EXPECT_LT(judged_error(solver, a, rows, Op::none, 2), 1e5);
    if (world_rank() == 0) EXPECT_EQ(solver.report().factor.delayed_pivots, 0);
  }
  for (std::size_t e = 0; e < a.value.size(); ++e) a.value[e] *= 1 + double(e * 7 % 11) / 11;
  solver.refactor(rows.of(a, false).a.value);
  EXPECT_LT(judged_error(solver, a, rows, Op::transpose, 1), 1e7);
  for (int round = 0; round < 3; ++round) solver.refactor(rows.of(a, false).a.value);
  if (world_rank() == 0) EXPECT_EQ(solver.report().factor.delayed_pivots, 0);
}

// Cholesky would take one triangle for the other, and not notice.
TEST(Solver, FactorsValuesThatAreNoLongerHermitianAsLu) {
  constexpr Index n = 50;
  auto a = random_matrix<double>({.n = n, .per_row = 3, .hermitian = true, .seed = 6});
  const auto rows = uneven_blocks(n);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  for (Index i = 0; i < n; ++i) {
    for (const Offset at : a.pattern.entries(i))
      if (a.pattern.col[usize(at)] > i) a.value[usize(at)] *= -0.5;
  }
  solver.refactor(rows.of(a, false).a.value);
  EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 1000);
  if (world_rank() == 0) {
    EXPECT_EQ(solver.report().factor.kind, "lu");
    EXPECT_FALSE(solver.report().factor.second_try);
  }
}

TEST(Solver, MovesAndIsDestroyedWithoutASolve) {
  const auto a = random_matrix<double>({.n = 30, .per_row = 2, .seed = 1});
  const auto rows = uneven_blocks(30);
  Solver<double> first(MPI_COMM_WORLD, rows.of(a, false));
  Solver<double> second(std::move(first));
  first = Solver<double>(MPI_COMM_WORLD, rows.of(a, false));
  EXPECT_LT(judged_error(second, a, rows, Op::none, 1), 1000);
}

// A bar that nothing holds, of pieces as stiff as powers of two, so that no sum is rounded.
matrix::Csr<double> floating_bar(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> stiffness(usize(n) + 1);  // of the piece before each point
  for (Index i = 1; i < n; ++i) stiffness[usize(i)] = std::ldexp(1.0, static_cast<int>(random() % 6));
  matrix::Csr<double> a;
  a.pattern.rows = a.pattern.cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      a.pattern.col.push_back(j);
      a.value.push_back(i == j ? stiffness[usize(i)] + stiffness[usize(i) + 1]
                               : -stiffness[usize(std::max(i, j))]);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  return a;
}

// Pulled at both ends: where it is, is open, however the rounding of its factors falls.
TEST(Solver, SaysThatAMatrixIsSingular) {
  for (Index n = 24; n < 30; ++n) {
    const auto rows = uneven_blocks(n);
    Solver<double> solver(MPI_COMM_WORLD, rows.of(floating_bar(n, usize(n)), false));
    std::vector<double> b(rows.number.size()), x(b.size());
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = rows.number[i] == 0 ? 1 : rows.number[i] == n - 1 ? -1 : 0;
    const Answer answer = solver.solve(b, x);
    EXPECT_TRUE(answer.singular) << n;
    EXPECT_TRUE(answer.satisfies) << n;
    EXPECT_FALSE(answer.solved()) << n;
  }
}

// A sequence of values in which the bar floats now and then: nothing would be gained by factors for that.
TEST(Solver, IsAsBeforeOnceAMatrixHasBeenSingular) {
  constexpr Index n = 24;
  const auto floating = floating_bar(n, 3);
  auto held = floating;
  held.value.front() += 1;
  const auto rows = uneven_blocks(n);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(held, false));
  std::vector<double> b(rows.number.size(), 1.0), x(b.size());
  for (int round = 0; round < 3; ++round) {
    solver.refactor(rows.of(floating, false).a.value);
    EXPECT_FALSE(solver.solve(b, x).solved());
    EXPECT_TRUE(solver.report().factor.second_try);
  }
  solver.refactor(rows.of(held, false).a.value);
  EXPECT_LT(judged_error(solver, held, rows, Op::none, 1), 1000);
  EXPECT_NE(solver.report().factor.kind, "lu");
  EXPECT_FALSE(solver.report().factor.second_try);
}

TEST(Solver, BeginsWithConservativePivotsOnceTwoMatricesInARowNeedThem) {
  constexpr Index n = 300;
  const auto hard = testing_support::with_phases<double>(testing_support::wilkinson(n));
  auto easy = hard;
  for (Index i = 0; i < n; ++i) {
    for (const Offset at : easy.pattern.entries(i))
      if (easy.pattern.col[usize(at)] == i) easy.value[usize(at)] = 1000;
  }
  const auto rows = uneven_blocks(n);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(easy, false));
  std::vector<bool> conservative;
  for (const bool is_hard : {false, true, false, true, true, false, true}) {
    const auto& a = is_hard ? hard : easy;
    solver.refactor(rows.of(a, false).a.value);
    EXPECT_LT(judged_error(solver, a, rows, Op::none, 1), 1e5);
    conservative.push_back(solver.report().factor.second_try);
  }
  EXPECT_THAT(conservative, testing::ElementsAre(false, true, false, true, true, true, true));
}

// What callers may make of numbers, on the last rank only: an error on all of them.
TEST(Solver, RefusesOptionsThatMeanNothing) {
  constexpr Index n = 20;
  const auto a = random_matrix<double>({.n = n, .per_row = 2, .seed = 8});
  const auto rows = uneven_blocks(n);
  const auto message = [](const auto& work) {
    return testing_support::collective_error_of(ErrorKind::usage, work);
  };
  const bool differs = world_rank() == world_size() - 1;
  const auto of_options = [&](const auto& change) {
    SolverOptions options;
    if (differs) change(options);
    return message([&] { Solver<double>(MPI_COMM_WORLD, rows.of(a, false), options); });
  };
  for (const double seconds : {0.0, -1.0, std::nan("")})
    EXPECT_THAT(of_options([&](SolverOptions& o) { o.watchdog = seconds; }), HasSubstr("the watchdog"));
  EXPECT_THAT(of_options([](SolverOptions& o) { o.op = Op('Q'); }), HasSubstr("no such op"));
  EXPECT_THAT(of_options([](SolverOptions& o) { o.ordering = ordering::Method(99); }),
              HasSubstr("99 is no choice of the option `ordering`"));
  EXPECT_THAT(of_options([](SolverOptions& o) { o.kind = numeric::KindChoice(99); }), HasSubstr("`kind`"));

  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  const std::vector<double> b(rows.number.size(), 1);
  std::vector<double> x(b.size());
  EXPECT_THAT(message([&] { solver.solve(b, x, differs ? Op('Q') : Op::none); }), HasSubstr("no such op"));
  EXPECT_TRUE(solver.solve(b, x).solved()) << "the solver is as it was";
}

TEST(Solver, AnAnalysisIsForItsKindOfFactorization) {
  constexpr Index n = 20;
  const auto a = random_matrix<double>({.n = n, .per_row = 2, .seed = 8});
  const auto rows = uneven_blocks(n).of(a, false);
  const AnalyzedSystem<double> analyzed(MPI_COMM_WORLD, rows);
  try {
    analyzed.factorize(MPI_COMM_WORLD, rows.a.value, {.kind = numeric::KindChoice::cholesky});
    FAIL() << "factored";
  } catch (const mpi::CollectiveError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the analysis is for LU, another kind"));
  }
  const auto lu = analyzed.factorize(MPI_COMM_WORLD, rows.a.value, {.kind = numeric::KindChoice::lu});
  EXPECT_EQ(lu.report().factor.kind, "lu");
}

// On the last rank only: an error on all of them.
class WrongRows : public testing::Test {
 protected:
  static constexpr Index n = 20;

  template <class Spoil>
  std::string message(bool listed, const Spoil& spoil) {
    auto rows = (listed ? scattered(n) : uneven_blocks(n)).of(a_, listed);
    if (world_rank() == world_size() - 1) spoil(rows);
    try {
      Solver<double> solver(MPI_COMM_WORLD, std::move(rows));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const matrix::Csr<double> a_ = random_matrix<double>({.n = n, .per_row = 2, .seed = 8});
};

TEST_F(WrongRows, AreAnErrorOnEveryRank) {
  EXPECT_THAT(message(false, [](auto& r) { r.a.value.back() = std::nan(""); }), HasSubstr("not finite"));
  EXPECT_THAT(message(false, [](auto& r) { r.a.pattern.col.back() = n; }), HasSubstr("do not ascend"));
  EXPECT_THAT(message(false, [](auto& r) { r.a.value.pop_back(); }), HasSubstr("do not fit together"));
  EXPECT_THAT(message(false, [](auto& r) { r.a.pattern.cols = n + 1; }), HasSubstr("not square"));
  EXPECT_THAT(message(true, [](auto& r) { r.number.back() = r.number.size() > 1 ? r.number.front() : n; }),
              HasSubstr("listed twice"));
  EXPECT_THAT(message(true, [](auto& r) { r.number.pop_back(); }), HasSubstr("row numbers for"));
}

TEST_F(WrongRows, NoneAtAllAreAnEmptyMatrix) {
  EXPECT_THROW(Solver<double>(MPI_COMM_WORLD, {}), Error);
}

}  // namespace
}  // namespace trisweep::solve
