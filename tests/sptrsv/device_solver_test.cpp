#include "trisweep/sptrsv/device_solver.hpp"

#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "support/scalars.hpp"
#include "support/watchdog.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::sptrsv {
namespace {

using testing_support::lower_matrices;
using testing_support::random_lower;
using testing_support::random_vector;
using testing_support::residual;

template <class T>
class DeviceSolverTest : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceSolverTest, testing_support::Scalars);

template <Scalar T>
std::vector<T> solve_on_host(const matrix::Csr<T>& a, Form form, Op op, const DeviceSolverOptions& options,
                             const std::vector<T>& b) {
  const auto nrhs = static_cast<Index>(b.size() / usize(a.rows()));
  DeviceSolver<T> solver(a, form, op, options);
  std::vector<T> x(b.size());
  testing_support::show_life();
  // Twice: what the first has left must not matter.
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::ranges::fill(x, T(0));
    solver.solve({b.data(), a.rows(), nrhs}, {x.data(), a.rows(), nrhs});
  }
  return x;
}

// Either triangle by every algorithm, with and without a diagonal of its own, each with the next op and
// number of right-hand sides.
TYPED_TEST(DeviceSolverTest, ThreadsSolveByEveryAlgorithm) {
  using T = TypeParam;
  constexpr std::array ops{Op::none, Op::transpose, Op::conjugate_transpose};
  std::size_t turn = 0;
  for (const auto& lower : lower_matrices<T>()) {
    for (const bool upper : {false, true}) {
      const auto a = upper ? matrix::transpose(lower) : lower;
      const Form form{.upper = upper, .unit = turn % 3 == 2};
      for (std::size_t i = 0; i < device_algorithms().size(); ++i) {
        const auto& algorithm = device_algorithms()[i];
        const Op op = ops[(turn / 3 + i) % 3];
        const Index nrhs = (turn / 2 + i) % 2 == 0 ? 1 : 32;
        const auto b = random_vector<T>(usize(a.rows()) * usize(nrhs), 3);
        const auto x =
            solve_on_host(a, form, op, {.algorithm = std::string(algorithm.name), .threads = 2}, b);
        EXPECT_LT(residual<T>(a, form.unit, op, Vectors<const T>(x.data(), a.rows(), nrhs),
                              Vectors<const T>(b.data(), a.rows(), nrhs)),
                  40)
            << algorithm.name << " " << nrhs;
      }
      ++turn;
    }
  }
}

// Sums are added in the same order whichever lane comes first, and a single warp does not wait.
TEST(DeviceSolver, ThreadsGiveTheSameBits) {
  const auto a = random_lower<double>(3000, 6, 50);
  for (const Index nrhs : {1, 3, 37}) {
    const auto b = random_vector<double>(usize(a.rows()) * usize(nrhs), 1);
    for (const auto& algorithm : device_algorithms()) {
      const auto solve = [&](int threads) {
        return solve_on_host(a, {}, Op::none, {.algorithm = std::string(algorithm.name), .threads = threads},
                             b);
      };
      EXPECT_EQ(solve(1), solve(3)) << algorithm.name;
    }
  }
}

TEST(DeviceSolver, SolvesInPlace) {
  const auto a = random_lower<double>(500, 4, 30);
  auto both = random_vector<double>(usize(a.rows()), 1);
  const auto b = both;
  DeviceSolver<double>(a, {}, Op::none, {}).solve(both, both);
  EXPECT_LT(residual<double>(a, false, Op::none, both, b), 40);
}

TEST(DeviceSolver, DividesByTheSmallestAndTheLargest) {
  using T = std::complex<double>;
  for (const T diagonal : {T(1e-310, 1e-310), T(5e307, -5e307), T(0, 3)}) {
    const matrix::Csr<T> a{.pattern = {.rows = 1, .cols = 1, .row_ptr = {0, 1}, .col = {0}},
                           .value = {diagonal}};
    const auto x = solve_on_host<T>(a, {}, Op::none, {}, {diagonal * 0.5});
    EXPECT_NEAR(std::abs(x[0] - 0.5), 0, 1e-13) << diagonal;
  }
}

// Of rows that share nothing every level is one; chains have one launch that waits.
TEST(DevicePlan, LaunchesLargeLevelsAloneAndSmallOnesTogether) {
  const auto launches = [](const matrix::Csr<double>& a) {
    return device_plan(lower_system(a, {}, Op::none).below, find_device_algorithm("level-set")).launch;
  };
  const auto wide = launches(random_lower<double>(20000, 0, 1));
  ASSERT_EQ(wide.size(), 1);
  EXPECT_FALSE(wide.front().waits);
  const auto chain = launches(random_lower<double>(2000, 1, 1));
  ASSERT_EQ(chain.size(), 1);
  EXPECT_TRUE(chain.front().waits);
  const auto mixed = launches(random_lower<double>(60000, 2, 60000));
  EXPECT_GT(mixed.size(), 2);
  Index end = 0;
  for (const RowLaunch& launch : mixed) {
    EXPECT_EQ(launch.begin, end);
    EXPECT_TRUE(launch.waits || launch.end - launch.begin >= 4096);
    end = launch.end;
  }
  EXPECT_EQ(end, 60000);
}

// Few entries a row on many levels: a warp for each row would leave most of its lanes without work.
TEST(DevicePlan, IsChosenByTheDependencies) {
  const auto choose = [](const matrix::Csr<double>& a) {
    return choose_for_device(lower_system(a, {}, Op::none).below, automatic);
  };
  EXPECT_EQ(choose(random_lower<double>(300000, 0, 1)).algorithm, "level-set");
  EXPECT_EQ(choose(random_lower<double>(200, 150, 200)).plan.lanes, 32);
  const auto road = choose(testing_support::from_gallery<double>("graph-road", 100000));
  EXPECT_EQ(road.algorithm, "thread-level");
  EXPECT_NE(road.reason.find("sync-free"), std::string::npos);
}

TEST(DeviceSolver, RefusesWhatItCannotDo) {
  const auto a = random_lower<double>(30, 2, 5);
  const auto make = [&](const DeviceSolverOptions& options) {
    DeviceSolver<double>(a, {}, Op::none, options);
  };
  EXPECT_THROW(make({.algorithm = "magic"}), Error);
  EXPECT_THROW(make({.threads = 0}), Error);
  EXPECT_THROW(make({.device = backend::Device::native}), Error);
  EXPECT_THROW((DeviceSolver<double>(a, {.upper = true}, Op::none, {})), Error);
  auto unsorted = a;
  unsorted.pattern.col.front() = -5;
  EXPECT_THROW((DeviceSolver<double>(unsorted, {}, Op::none, {})), Error);
  std::vector<double> b(29), x(30);
  EXPECT_THROW(DeviceSolver<double>(a, {}, Op::none, {}).solve(b, x), Error);
  DeviceSolver<double> empty(matrix::Csr<double>{}, {}, Op::none, {});
  std::vector<double> nothing;
  empty.solve(nothing, nothing);
}

}  // namespace
}  // namespace trisweep::sptrsv
