#include <gtest/gtest.h>

#include "device/made_up_gemv.hpp"
#include "support/largest.hpp"
#include "support/scalars.hpp"
#include "trisweep/device/gemv_runner.hpp"

namespace trisweep::device {
namespace {

using testing_support::largest_difference;
using testing_support::MadeUp;
using testing_support::random_vector;

template <Scalar T>
std::vector<T> product(const GemvTasks& tasks, int threads, const std::vector<T>& x) {
  ThreadPool pool(threads);
  MergedGemv<T> runner(make_gemv_plan(tasks), Device::emulated, pool);
  std::vector<T> y(usize(tasks.rows), T(7));
  for (int repeat = 0; repeat < 2; ++repeat) runner.multiply(x, y);  // counters go on
  return y;
}

template <class T>
class GemvTest : public testing::Test {};
TYPED_TEST_SUITE(GemvTest, testing_support::Scalars);

TYPED_TEST(GemvTest, TheKernelGivesTheProductThreads) {
  using T = TypeParam;
  MadeUp<T> made;
  const auto x = random_vector<T>(MadeUp<T>::columns, 3);
  const auto expected = made.expected(x);
  const double allowed = std::same_as<RealOf<T>, float> ? 2e-2 : 1e-4;
  for (const int threads : {1, 3})
    EXPECT_LT(largest_difference(product<T>(made.tasks, threads, x), expected), allowed);
}

TEST(Gemv, EveryBitIsTheSameThreads) {
  MadeUp<double> made;
  const auto x = random_vector<double>(MadeUp<double>::columns, 4);
  const auto once = product<double>(made.tasks, 1, x);
  for (const int threads : {2, 4}) EXPECT_EQ(product<double>(made.tasks, threads, x), once);
}

// One panel of V that takes one worker far longer than the other needs to come to the row block.
TEST(Gemv, StripsWaitForSumsThreads) {
  constexpr Index columns = 1 << 19;
  const std::vector<double> v(2 * usize(columns), 0.5), u(2, 1.0), x(usize(columns), 1.0);
  const auto full = lowrank::Precision::full;
  std::vector<std::byte> bytes;
  lowrank::pack_block(numeric::View<const double>{v.data(), columns, 2, columns}, 0, full, bytes);
  const std::size_t at = bytes.size();
  lowrank::pack_block(numeric::View<const double>{u.data(), 1, 2, 1}, 0, full, bytes);
  GemvTasks tasks{.columns = columns, .rows = 1, .sums = 2};
  tasks.panels = bytes;
  tasks.right.push_back({0, GemvKind::sums_of_x, columns, 2, 0, 0});
  tasks.left.push_back({at, GemvKind::rows_of_sums, 1, 2, 0, 0});
  tasks.row_block.push_back({.rows = {0, 1}, .dense = {0, 0}, .low_rank = {0, 1}});
  ThreadPool pool(2);
  std::vector<double> y{0};
  MergedGemv<double>(make_gemv_plan(tasks), Device::emulated, pool).multiply(x, y);
  EXPECT_EQ(y[0], columns);
}

TEST(Gemv, SeveralVectorsAreMultipliedOneAfterTheOther) {
  MadeUp<double> made;
  const auto x = random_vector<double>(2 * MadeUp<double>::columns, 6);
  ThreadPool pool(1);
  MergedGemv<double> runner(make_gemv_plan(made.tasks), Device::emulated, pool);
  std::vector<double> y(2 * usize(made.tasks.rows));
  runner.multiply(Vectors<const double>(x.data(), made.tasks.columns, 2),
                  Vectors<double>(y.data(), made.tasks.rows, 2));
  for (const int c : {0, 1}) {
    const auto column = x.begin() + Offset{c} * made.tasks.columns;
    const auto result = y.begin() + Offset{c} * made.tasks.rows;
    EXPECT_LT(largest_difference(std::vector<double>(result, result + made.tasks.rows),
                                 made.expected(std::vector<double>(column, column + made.tasks.columns))),
              1e-4);
  }
}

}  // namespace
}  // namespace trisweep::device
