// What an answer is told: solved, one of many, or not to be believed, and at which price.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/hard_to_pivot.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/attempt.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::Largest;
using testing_support::world_rank;

// A solver for `a`, which is everywhere, with this rank's part of whole vectors.
template <Scalar T>
class Judged {
 public:
  explicit Judged(const matrix::Csr<T>& a, const SolverOptions& options = {})
      : a_(a),
        solver_(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, world_rank() == 0 ? a : matrix::Csr<T>()),
                options) {}

  Answer solve(const std::vector<T>& whole, Op op = Op::none) {
    const Index n = a_.rows(), first = solver_.partition().first(world_rank()), rows = solver_.rows();
    nrhs_ = static_cast<Index>(whole.size()) / n;
    b_.clear();
    for (Index c = 0; c < nrhs_; ++c)
      b_.insert(b_.end(), whole.begin() + c * n + first, whole.begin() + c * n + first + rows);
    x_.assign(b_.size(), T{});
    return solver_.solve({b_.data(), rows, nrhs_}, {x_.data(), rows, nrhs_}, op);
  }
  ForwardError bound(const Answer& answer) {
    const Index rows = solver_.rows();
    return solver_.forward_error(answer, {b_.data(), rows, nrhs_}, {x_.data(), rows, nrhs_});
  }
  // Largest difference of the first column from `truth`, relative to its largest entry.
  double error(const std::vector<T>& truth) {
    const Index first = solver_.partition().first(world_rank());
    Largest most, size;
    for (Index i = 0; i < solver_.rows(); ++i) most.add(std::abs(x_[usize(i)] - truth[usize(first + i)]));
    for (const T& v : truth) size.add(std::abs(v));
    return mpi::Communicator(MPI_COMM_WORLD).max(most.value()) / size.value();
  }
  Solver<T>& solver() { return solver_; }

 private:
  const matrix::Csr<T> a_;
  Solver<T> solver_;
  Index nrhs_ = 1;
  std::vector<T> b_, x_;
};

template <Scalar T>
matrix::Csr<T> tridiagonal(Index n, T below, T diagonal, T above) {
  matrix::Csr<T> a;
  a.pattern.rows = a.pattern.cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      a.pattern.col.push_back(j);
      a.value.push_back(j < i ? below : j == i ? diagonal : above);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  return a;
}

template <Scalar T>
std::vector<T> unit_vector(Index n, Index k) {
  std::vector<T> e(usize(n), T{});
  e[usize(k)] = T(1);
  return e;
}

// Partial pivoting loses every digit.
TEST(Verdict, SolvesWhatGrows) {
  const Index n = 300;
  const auto a = testing_support::with_phases<double>(testing_support::wilkinson(n));
  std::vector<double> truth, b(usize(n), 0.0), b_transposed(usize(n), 0.0);
  for (Index i = 0; i < n; ++i) truth.push_back(std::sin(1.0 + i));
  for (Index i = 0; i < n; ++i) {
    for (const Offset at : a.pattern.entries(i)) {
      const Index j = a.pattern.col[usize(at)];
      b[usize(i)] += a.value[usize(at)] * truth[usize(j)];
      b_transposed[usize(j)] += a.value[usize(at)] * truth[usize(i)];
    }
  }
  Judged<double> system(a);
  EXPECT_TRUE(system.solve(b).solved());
  EXPECT_LT(system.error(truth), 1e-12);
  EXPECT_TRUE(system.solve(b_transposed, Op::transpose).solved());
  EXPECT_LT(system.error(truth), 1e-12);
}

// Splines: x decays to 1e-300 of its largest entry and below.
TEST(Verdict, SolvesWhatDecays) {
  Judged<double> system(tridiagonal<double>(2000, 1, 4, 1));
  for (const Op op : {Op::none, Op::transpose})
    EXPECT_TRUE(system.solve(unit_vector<double>(2000, 1000), op).solved());
}

// A heat step in single precision, where the tail is below the smallest number.
TEST(Verdict, SolvesAHeatStepInSinglePrecision) {
  Judged<Single<double>> system(tridiagonal<Single<double>>(400, -10, 21, -10));
  EXPECT_TRUE(system.solve(unit_vector<Single<double>>(400, 17)).solved());
}

// Upwind: what is upstream of a source is zero, and comes out as rounding.
TEST(Verdict, SolvesWhatHasZeros) {
  auto a = testing_support::random_matrix<double>({.n = 30, .per_row = 4, .seed = 3});
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset at : a.pattern.entries(i)) {
      const Index j = a.pattern.col[usize(at)];
      if (j == i) a.value[usize(at)] = 5;
      if ((i < 15) != (j < 15) && j < 15) a.value[usize(at)] = 0;  // the second half feeds the first
    }
  }
  Judged<double> system(a);
  for (Index k = 0; k < 30; ++k) EXPECT_TRUE(system.solve(unit_vector<double>(30, k)).solved()) << k;
}

// One that is no number spoils its own column, and one whose x has zeros none.
TEST(Verdict, IsGivenForEachRightHandSide) {
  constexpr Index n = 2000;
  const auto a = tridiagonal<double>(n, 1, 4, 1);
  Judged<double> system(a);
  std::vector<double> b(usize(n), 1.0);
  const auto e = unit_vector<double>(n, 3);
  b.insert(b.end(), e.begin(), e.end());
  const Answer answer = system.solve(b);
  ASSERT_EQ(answer.columns.size(), 2);
  EXPECT_TRUE(answer.solved());
  for (const ColumnError& column : answer.columns) EXPECT_TRUE(satisfies<double>(column));
}

// The units of unknowns grow from one to the next, by less than the diagonal is larger than its neighbours:
// in these units nearly any x solves the system, in balanced ones its condition is 40.
TEST(Verdict, IsThatOfBalancedUnits) {
  constexpr Index n = 300;
  auto a = tridiagonal<double>(n, -1, 2.1, -1);
  std::vector<double> b(usize(n)), truth;
  for (Index j = 0; j < n; ++j) truth.push_back(std::pow(1.85, n / 2 - j));
  for (Index i = 0; i < n; ++i) {
    for (const Offset at : a.pattern.entries(i)) {
      b[usize(i)] += a.value[usize(at)];
      a.value[usize(at)] /= truth[usize(a.pattern.col[usize(at)])];
    }
  }
  Judged<double> system(a);
  EXPECT_TRUE(system.solve(b).solved());
  EXPECT_LT(system.solver().condition_estimate(), 1e3);
  EXPECT_LT(system.error(truth), 1e-13);
}

// Its sweeps are made where a known solution lost half of its digits, and where factors are compressed.
TEST(Verdict, EstimatesTheConditionWhereInDoubt) {
  const auto a = tridiagonal<double>(100, -1, 2, -1);
  const std::vector<double> b(100, 1.0);
  Judged<double> whole(a), compressed(a, {.compress = {.eps = 1e-6}});
  EXPECT_TRUE(std::isnan(whole.solve(b).condition.condition_estimate));
  const double made = whole.solver().condition_estimate();
  EXPECT_GT(made, 1e3);
  EXPECT_LT(made, 1e4);
  EXPECT_EQ(whole.solve(b).condition.condition_estimate, made);
  EXPECT_EQ(whole.solver().report().factor.condition_estimate, made);
  EXPECT_GT(compressed.solve(b).condition.condition_estimate, 1e3);
}

// Entries near the largest number beside others near the smallest.
// Factors with perturbed pivots are of another matrix, whose condition is harmless.
TEST(Verdict, BoundsErrorsByTheConditionOfTheMatrixAndNotOfItsFactors) {
  const Index n = 24;
  std::vector<double> truth, b(usize(n));
  for (Index i = 0; i < n; ++i) truth.push_back(i % 5 - 2);
  for (const int exponent : {30, 40, 46}) {
    auto a = tridiagonal(n, -1.0, 2.0, -1.0);
    a.value.front() = 1 + std::ldexp(1.0, -exponent);
    a.value.back() = 1;
    for (Index i = 0; i < n; ++i) {
      b[usize(i)] = 0;
      for (const Offset e : a.pattern.entries(i))
        b[usize(i)] += a.value[usize(e)] * truth[usize(a.pattern.col[usize(e)])];
    }
    for (const bool mixed : {false, true}) {
      if (mixed && !testing_support::has_single) continue;
      for (const auto kind : {numeric::KindChoice::automatic, numeric::KindChoice::lu}) {
        SolverOptions options;
        options.mixed = mixed;
        options.kind = kind;
        Judged<double> system(a, options);
        const Answer answer = system.solve(b);
        const double condition = n * std::ldexp(1.0, exponent);
        EXPECT_GT(system.solver().condition_estimate(), condition / 10) << exponent << mixed;
        EXPECT_LT(system.solver().condition_estimate(), condition * 100) << exponent << mixed;
        EXPECT_GE(system.bound(answer).bound, system.error(truth)) << exponent << mixed;
      }
    }
  }
}

TEST(Verdict, IsGivenForTheWholeRangeOfNumbers) {
  constexpr Index n = 301;
  auto a = tridiagonal<double>(n, -1, 2.1, -1);
  std::vector<double> b(usize(n)), truth;
  for (Index j = 0; j < n; ++j) truth.push_back(std::exp2(3.3 * (n / 2 - j)));
  for (Index i = 0; i < n; ++i) {
    for (const Offset at : a.pattern.entries(i)) {
      b[usize(i)] += a.value[usize(at)] / truth[usize(i)];
      a.value[usize(at)] /= truth[usize(i)] * truth[usize(a.pattern.col[usize(at)])];
    }
  }
  Judged<double> system(a);
  EXPECT_TRUE(system.solve(b).solved());
  EXPECT_LT(system.error(truth), 1e-13);
}

// What is pulled at both ends and held nowhere: some x, which satisfies the equations, and no bound of its
// error.
TEST(Verdict, OfASingularSystemIsOneOfMany) {
  auto a = tridiagonal<double>(40, -1, 2, -1);
  a.value.front() = a.value.back() = 1;
  std::vector<double> b(40, 0.0);
  b.front() = 1, b.back() = -1;
  Judged<double> system(a);
  const Answer answer = system.solve(b);
  EXPECT_TRUE(answer.satisfies);
  EXPECT_FALSE(answer.solved());
  EXPECT_FALSE(answer.is_regular());
  EXPECT_TRUE(std::isnan(system.bound(answer).bound));
}

// The right-hand side has no units of the rows: those of the last two equations look negligible, and decide
// on x_1, which is as large as x_3.
TEST(Verdict, HoldsForEquationsWhoseRightHandSideIsGiven) {
  const matrix::Csr<double> a{
      {4, 4, {0, 3, 6, 8, 9}, {1, 2, 3, 0, 1, 2, 0, 1, 0}},
      {0x3p-10, -0x1p168, -0x1p125, 0x3p-10, 0x1p-193, -0x1p-16, -0x1p168, -0x1p-16, -0x1p125}};
  const double x0 = -0x1p-124, x1 = 0x1p60 - 0x1p17, x2 = -0x3p16;  // but for what is lost beside them
  const double x3 = -(2 + 0x1p168 * x2 - 0x3p-10 * x1) / 0x1p125;
  for (const auto kind : {numeric::KindChoice::automatic, numeric::KindChoice::lu}) {
    Judged<double> system(a, {.kind = kind});
    const Answer answer = system.solve({2, 3, 2, 2});
    EXPECT_TRUE(answer.solved());
    EXPECT_LT(answer.error.componentwise, 1e-13);
    EXPECT_LT(system.error({x0, x1, x2, x3}), 1e-12);
  }
}

// Units decide which unknowns are small, and approximate factors may have none of their digits.
TEST(Verdict, OfSmallUnknownsTakesAccurateFactors) {
  constexpr double eps = 1e-3;
  const Attempt whole{}, compressed{.compression = {.eps = eps}}, single{.low_precision = true};
  Answer answer{.condition = {.condition_estimate = 10}, .satisfies = true, .satisfies_small = true};
  EXPECT_FALSE(next_attempt(whole, 0, false, answer));
  EXPECT_FALSE(next_attempt(compressed, eps, false, answer));
  EXPECT_FALSE(next_attempt(single, 0, false, answer));
  answer.satisfies_small = false;
  EXPECT_FALSE(next_attempt(whole, 0, false, answer));
  for (const bool satisfies : {true, false}) {
    answer.satisfies = satisfies;
    for (const auto& next :
         {next_attempt(compressed, eps, false, answer), next_attempt(single, 0, false, answer)}) {
      ASSERT_TRUE(next);
      EXPECT_EQ(next->compression.eps, 0);
      EXPECT_FALSE(next->low_precision);
      EXPECT_EQ(next->pivoting, Pivoting::standard);
    }
  }
}

// A block that is nearly singular, of which x has nothing: its pivot is neither replaced for good, nor is x
// accepted that corrections with a replaced one cannot reach.
template <Scalar T>
void expect_solution_beside_a_nearly_singular_block(RealOf<T> distance) {
  const double dense[6][6] = {{5, -3, -3, 5, 1, 0}, {-2, 4, 1, 0, 0, 0},  {3, 4, 6, 0, 0, 0},
                              {0, 0, 0, -4, 3, 0},  {0, 0, 0, -3, 4, -3}, {0, 0, 0, -1, -1, 3}};
  std::vector<std::map<Index, T>> rows(6);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j)
      if (dense[i][j] != 0) rows[usize(i)][j] = static_cast<T>(dense[i][j]);
  rows[3][3] += distance;
  const T d = 115;  // the determinant of the other block, whose inverse has this first column
  const std::vector<T> exact{20 / d, 15 / d, -20 / d, 0, 0, 0};
  for (const bool best : {false, true}) {
    Judged<T> system(testing_support::csr_of(rows), {.refinement = {.best = best}});
    EXPECT_TRUE(system.solve(unit_vector<T>(6, 0)).solved()) << distance;
    EXPECT_LT(system.error(exact), std::sqrt(std::numeric_limits<RealOf<T>>::epsilon())) << distance;
  }
}

TEST(Verdict, SolvesBesideANearlySingularBlock) {
  for (const double distance : {1e-6, 1e-10, 1e-11, 1e-12, 1e-13})
    expect_solution_beside_a_nearly_singular_block<double>(distance);
  if (testing_support::has_single) expect_solution_beside_a_nearly_singular_block<Single<double>>(0x1p-15F);
}

// A vote, and a reduction for each measurement; with one good correction five at most.
TEST(Verdict, TakesFewReductions) {
  const auto a = testing_support::random_matrix<double>({.n = 200, .per_row = 4, .seed = 21});
  const auto b = testing_support::random_vector<double>(200 * 2, 4);
  for (const bool mixed : {false, true}) {
    if (mixed && !testing_support::has_single) continue;
    Judged<double> system(a, {.mixed = mixed});
    system.solve(b);
    const Answer answer = system.solve(b);
    EXPECT_TRUE(answer.solved());
    EXPECT_LE(answer.refinement_steps, mixed ? 2 : 0);
    EXPECT_LE(answer.reductions, answer.refinement_steps == 0 ? 2 : 3 + 2 * answer.refinement_steps);
  }
}

}  // namespace
}  // namespace trisweep::solve
