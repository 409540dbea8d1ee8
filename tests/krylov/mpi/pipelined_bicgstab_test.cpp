#include <gtest/gtest.h>

#include "gallery/gallery.hpp"
#include "krylov/mpi/bicgstab_system.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"

namespace trisweep::krylov {
namespace {

using testing_support::random_vector;

template <class T>
class PipelinedBicgstabTest : public testing::Test {};
TYPED_TEST_SUITE(PipelinedBicgstabTest, testing_support::Scalars);

TYPED_TEST(PipelinedBicgstabTest, FindsKnownSolutionsWithWhateverIsHidden) {
  using T = TypeParam;
  constexpr Index n = 1500;
  BicgstabSystem<T> system(testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 2}));
  system.method = "pipelined-bicgstab";
  const double tolerance = 30 * std::numeric_limits<RealOf<T>>::epsilon();
  const auto x = random_vector<T>(usize(n) * 3, 9);
  const auto b = system.times(x);
  const auto found = system.solve(b, {.tolerance = tolerance});
  for (const auto& result : system.result) {
    EXPECT_EQ(result.outcome, Outcome::converged);
    EXPECT_LE(result.residual, tolerance);
    EXPECT_GT(result.iterations, 1);
  }
  EXPECT_LT(system.error(found, x), 3000 * tolerance);
  for (const NamedOverlap& hidden : overlaps())
    EXPECT_EQ(system.solve(b, {.tolerance = tolerance, .overlap = hidden.overlap}, 3), found) << hidden.name;
}

// In exact arithmetic the iterates are those of BiCGStab.
TEST(PipelinedBicgstab, TakesTheStepsOfBicgstab) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 9}));
  BicgstabSystem<double> system(a);
  const auto b = system.times(random_vector<double>(usize(a.rows()), 3));
  system.solve(b, {.tolerance = 1e-6});
  const KrylovResult plain = system.result[0];
  system.method = "pipelined-bicgstab";
  system.solve(b, {.tolerance = 1e-6});
  const KrylovResult& pipelined = system.result[0];
  EXPECT_EQ(pipelined.outcome, Outcome::converged);
  EXPECT_LE(std::abs(pipelined.iterations - plain.iterations), 1);
  ASSERT_GT(plain.history.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(pipelined.history[i] / plain.history[i], 1, 1e-6) << i;
}

// What rounding makes of the recurrences is taken out by making them anew, and no sooner noticed than the
// true residual says: starts from there are not counted on here.
TEST(PipelinedBicgstab, ReplacesWhatRoundingHasSpoiled) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 12}));
  BicgstabSystem<double> system(a);
  system.method = "pipelined-bicgstab";
  const auto b = system.times(random_vector<double>(usize(a.rows()), 3));
  const auto reached = [&](int replace_every) {
    system.solve(b, {.tolerance = 1e-30, .max_iterations = 200, .replace_every = replace_every});
    return system.result[0].residual;
  };
  EXPECT_LT(10 * reached(20), reached(0));
}

TEST(PipelinedBicgstab, TellsBreakdownFromTheLastIteration) {
  const matrix::Csr<double> rotation{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 1, 2}, .col = {1, 0}},
                                     .value = {1, -1}};
  BicgstabSystem<double> turned(rotation);
  turned.method = "pipelined-bicgstab";
  const auto found = turned.solve({1, 0}, {});
  EXPECT_EQ(turned.result[0].outcome, Outcome::breakdown);
  EXPECT_EQ(turned.result[0].iterations, 0);
  EXPECT_EQ(turned.error(found, {0, 0}), 0);

  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 8}));
  BicgstabSystem<double> system(a);
  system.method = "pipelined-bicgstab";
  system.solve(std::vector<double>(usize(a.rows()), 1.0), {.tolerance = 1e-12, .max_iterations = 2});
  EXPECT_EQ(system.result[0].outcome, Outcome::most_iterations);
  EXPECT_EQ(system.result[0].iterations, 2);
}

// Columns that are solved at once, or cannot be, are nothing to the others.
TEST(PipelinedBicgstab, ColumnsDoNotMatterToOneAnother) {
  constexpr Index n = 60;
  BicgstabSystem<double> system(testing_support::random_matrix<double>({.n = n, .per_row = 3, .seed = 4}));
  system.method = "pipelined-bicgstab";
  const auto x = random_vector<double>(n, 5);
  std::vector<double> b(usize(n));  // zero
  const auto solvable = system.times(x);
  b.insert(b.end(), solvable.begin(), solvable.end());
  b.insert(b.end(), usize(n), std::numeric_limits<double>::quiet_NaN());
  const auto found = system.solve(b, {.tolerance = 1e-13});
  const std::size_t rows = found.size() / 3;
  const auto column = [&](std::size_t c) {
    return std::vector<double>(found.begin() + std::ptrdiff_t(c * rows),
                               found.begin() + std::ptrdiff_t((c + 1) * rows));
  };
  EXPECT_EQ(column(0), std::vector<double>(rows));
  EXPECT_EQ(column(2), std::vector<double>(rows));
  EXPECT_EQ(system.result[2].outcome, Outcome::breakdown);
  EXPECT_EQ(system.result[1].outcome, Outcome::converged);
  EXPECT_LT(system.error(column(1), x), 1e-10);
}

}  // namespace
}  // namespace trisweep::krylov
