#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gallery/gallery.hpp"
#include "krylov/mpi/bicgstab_system.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"

namespace trisweep::krylov {
namespace {

using testing_support::random_vector;

template <class T>
class BicgstabTest : public testing::Test {};
TYPED_TEST_SUITE(BicgstabTest, testing_support::Scalars);

TYPED_TEST(BicgstabTest, FindsKnownSolutionsOnAnyNumberOfThreads) {
  using T = TypeParam;
  constexpr Index n = 300;
  BicgstabSystem<T> system(testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 2}));
  const double tolerance = 10 * std::numeric_limits<RealOf<T>>::epsilon();
  const auto x = random_vector<T>(usize(n) * 3, 9);
  const auto found = system.solve(system.times(x), {.tolerance = tolerance});
  for (const auto& result : system.result) {
    EXPECT_EQ(result.outcome, Outcome::converged);
    EXPECT_LE(result.residual, tolerance);
    EXPECT_GT(result.iterations, 1);
    EXPECT_EQ(result.history.size(), usize(result.iterations) + 1);
    EXPECT_LE(result.history.back(), tolerance);
  }
  EXPECT_LT(system.error(found, x), 1000 * tolerance);
  EXPECT_EQ(system.solve(system.times(x), {.tolerance = tolerance}, 3), found);
}

// More steps than GMRES goes without starting anew; columns that need as many as they need alone.
TEST(RestartedGmres, FindsKnownSolutionsAcrossRestarts) {
  constexpr Index n = 300;
  BicgstabSystem<double> system(testing_support::random_matrix<double>({.n = n, .per_row = 4, .seed = 2}));
  system.method = "gmres";
  const auto x = random_vector<double>(usize(n) * 2, 9);
  const auto found = system.solve(system.times(x), {.tolerance = 1e-12, .restart = 20});
  for (const auto& result : system.result) {
    EXPECT_EQ(result.outcome, Outcome::converged);
    EXPECT_LE(result.residual, 1e-12);
    EXPECT_GT(result.iterations, 20);
    EXPECT_EQ(result.history.size(), usize(result.iterations) + 1);
  }
  EXPECT_LT(system.error(found, x), 1e-9);
  system.solve(system.times(x), {.max_iterations = 25, .restart = 20});
  EXPECT_EQ(system.result[0].outcome, Outcome::most_iterations);
  EXPECT_EQ(system.result[0].iterations, 25);
}

// In other units, squares of whose numbers are out of range: the same to the last bit.
TYPED_TEST(BicgstabTest, UnitsChangeNothing) {
  using T = TypeParam;
  using R = RealOf<T>;
  constexpr Index n = 200;
  constexpr int far = std::numeric_limits<R>::max_exponent * 3 / 4;
  const auto a = testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 2});
  BicgstabSystem<T> plain(a);
  const auto b = plain.times(random_vector<T>(usize(n), 9));
  for (const auto& method : methods<T>()) {
    plain.method = method.name;
    const KrylovOptions options{.tolerance = 50 * std::numeric_limits<R>::epsilon()};
    const auto x = plain.solve(b, options);
    ASSERT_EQ(plain.result[0].outcome, Outcome::converged);
    for (const auto [of_a, of_b] :
         {std::pair(far, 0), {-far, 0}, {0, far}, {0, -far}, {far, far}, {-far, -far}}) {
      auto a_there = a;
      auto b_there = b;
      for (T& value : a_there.value) value *= std::ldexp(R(1), of_a);
      for (T& value : b_there) value *= std::ldexp(R(1), of_b);
      BicgstabSystem<T> system(a_there);
      system.method = method.name;
      auto x_there = system.solve(b_there, options);
      EXPECT_EQ(system.result[0].outcome, Outcome::converged) << method.name << " " << of_a << " " << of_b;
      EXPECT_EQ(system.result[0].history, plain.result[0].history)
          << method.name << " " << of_a << " " << of_b;
      for (T& value : x_there) value *= std::ldexp(R(1), of_a - of_b);
      EXPECT_EQ(x_there, x) << method.name << " " << of_a << " " << of_b;
    }
  }
}

TEST(Bicgstab, SolvesConvectionAndDiffusion) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 9}));
  BicgstabSystem<double> system(a);
  const auto x = random_vector<double>(usize(a.rows()) * 2, 3);
  const auto found = system.solve(system.times(x), {.tolerance = 1e-12});
  for (const auto& result : system.result) EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LT(system.error(found, x), 1e-9);
}

// i A x = i b takes the steps of A x = b: inner products know which of their vectors is conjugated.
TEST(Bicgstab, AUnitFactorChangesNothing) {
  using T = std::complex<double>;
  constexpr Index n = 80;
  auto a = testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 6});
  const auto b = random_vector<T>(usize(n), 7);
  auto turned = b;
  BicgstabSystem<T> plain(a);
  const auto x = plain.solve(b, {.tolerance = 1e-10});
  for (T& value : a.value) value *= T(0, 1);
  for (T& value : turned) value *= T(0, 1);
  BicgstabSystem<T> other(a);
  EXPECT_LT(testing_support::largest_difference(other.solve(turned, {.tolerance = 1e-10}), x), 1e-9);
  const std::vector<double>&before = plain.result[0].history, &after = other.result[0].history;
  ASSERT_GT(before.size(), 3u);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i] / before[i], 1, 1e-3) << i;
}

// An indefinite matrix that is hard without a preconditioner: what is said of the answer is true.
TEST(Bicgstab, SaysOnlyOfSolvedSystemsThatItConverged) {
  using T = std::complex<double>;
  const auto a = std::get<matrix::Csr<T>>(gallery::make_matrix("maxwell3d", {.n = 3, .complex = true}));
  BicgstabSystem<T> system(a);
  const auto x = random_vector<T>(usize(a.rows()), 3);
  for (const int iterations : {1, 10, 1000}) {
    const auto b = system.times(x);
    const auto found = system.solve(b, {.tolerance = 1e-10, .max_iterations = iterations});
    const KrylovResult& result = system.result[0];
    EXPECT_EQ(result.outcome == Outcome::converged, result.residual <= 1e-10);
    EXPECT_LE(result.iterations, iterations);
    if (result.outcome == Outcome::converged) EXPECT_LT(system.error(found, x), 1e-6);
  }
}

// Columns that are solved at once, cannot be, or end early are nothing to the others.
TEST(Bicgstab, ColumnsDoNotMatterToOneAnother) {
  constexpr Index n = 60;
  BicgstabSystem<double> system(testing_support::random_matrix<double>({.n = n, .per_row = 3, .seed = 4}));
  const auto x = random_vector<double>(n, 5);
  std::vector<double> b(usize(n));  // zero
  const auto solvable = system.times(x);
  b.insert(b.end(), solvable.begin(), solvable.end());
  b.insert(b.end(), usize(n), 1.0);
  b[usize(2 * n + 7)] = std::numeric_limits<double>::quiet_NaN();
  b.insert(b.end(), usize(n), std::numeric_limits<double>::infinity());
  const auto found = system.solve(b, {.tolerance = 1e-13});
  const std::size_t rows = found.size() / 4;
  const auto column = [&](std::size_t c) {
    return std::vector<double>(found.begin() + std::ptrdiff_t(c * rows),
                               found.begin() + std::ptrdiff_t((c + 1) * rows));
  };
  EXPECT_EQ(column(0), std::vector<double>(rows));
  EXPECT_EQ(system.result[0].outcome, Outcome::converged);
  EXPECT_EQ(system.result[0].iterations, 0);
  EXPECT_EQ(system.result[0].residual, 0);
  EXPECT_EQ(system.result[1].outcome, Outcome::converged);
  EXPECT_LT(system.error(column(1), x), 1e-10);
  for (const std::size_t c : {2, 3}) {
    EXPECT_EQ(system.result[c].outcome, Outcome::breakdown);
    EXPECT_EQ(system.result[c].residual, HUGE_VAL);
    EXPECT_EQ(column(c), std::vector<double>(rows));
  }
}

// It breaks down where b is not zero, and is never asked where b is.
TEST(Methods, APreconditionerThatMakesNoNumbersLeavesX) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  ThreadPool pool(1);
  const auto twice = [](Vectors<const double> v, Vectors<double> w) {
    for (Index c = 0; c < v.cols; ++c)
      for (Index i = 0; i < v.rows; ++i) w.column(c)[i] = 2 * v.column(c)[i];
  };
  const auto no_number = [](Vectors<const double> v, Vectors<double> w) {
    for (Index c = 0; c < v.cols; ++c) std::fill_n(w.column(c), v.rows, std::nan(""));
  };
  const std::vector<double> b{1, 2, 0, 0};
  for (const auto& method : methods<double>()) {
    std::vector<double> x(b.size());
    const auto results =
        method.solve({comm, pool}, {twice, no_number}, in_columns(b, 2, 2), in_columns(x, 2, 2), {});
    EXPECT_EQ(results[0].outcome, Outcome::breakdown) << method.name;
    EXPECT_EQ(results[0].residual, 1) << method.name;
    EXPECT_EQ(results[1].outcome, Outcome::converged) << method.name;
    EXPECT_EQ(results[1].residual, 0) << method.name;
    EXPECT_EQ(x, std::vector<double>(b.size())) << method.name;
  }
}

// A v is orthogonal to v for every v: there is no first step.
TEST(Bicgstab, BreaksDownOnARotation) {
  const matrix::Csr<double> a{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 1, 2}, .col = {1, 0}},
                              .value = {1, -1}};
  BicgstabSystem<double> system(a);
  const auto found = system.solve({1, 0}, {});
  EXPECT_EQ(system.result[0].outcome, Outcome::breakdown);
  EXPECT_EQ(system.result[0].iterations, 0);
  EXPECT_EQ(system.result[0].residual, 1);
  EXPECT_EQ(system.error(found, {0, 0}), 0);
}

TEST(Bicgstab, EndsWithTheLastIteration) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 8}));
  BicgstabSystem<double> system(a);
  system.solve(std::vector<double>(usize(a.rows()), 1.0), {.tolerance = 1e-12, .max_iterations = 2});
  EXPECT_EQ(system.result[0].outcome, Outcome::most_iterations);
  EXPECT_EQ(system.result[0].iterations, 2);
  EXPECT_EQ(system.result[0].history.size(), 3u);
  EXPECT_GT(system.result[0].residual, 1e-12);
}

TEST(Bicgstab, BreaksDownWhereAProductIsNotFinite) {
  auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 4}));
  a.value[0] = std::nan("");
  for (const auto& method : methods<double>()) {
    BicgstabSystem<double> system(a);
    system.method = method.name;
    system.solve(std::vector<double>(usize(a.rows()), 1.0), {});
    EXPECT_EQ(system.result[0].outcome, Outcome::breakdown) << method.name;
  }
}

// Below the rounding errors the true residual does not fall, although the recurrence's does.
TEST(Bicgstab, NoticesThatTheTrueResidualStaysBehind) {
  BicgstabSystem<double> system(testing_support::random_matrix<double>({.n = 100, .per_row = 3, .seed = 6}));
  system.solve(random_vector<double>(100, 5), {.tolerance = 1e-30});
  EXPECT_TRUE(system.result[0].outcome == Outcome::stagnated ||
              system.result[0].outcome == Outcome::breakdown);
  EXPECT_GT(system.result[0].residual, 1e-30);
  EXPECT_LT(system.result[0].residual, 1e-14);
}

}  // namespace
}  // namespace trisweep::krylov
