#include <gtest/gtest.h>

#include <numeric>

#include "device/made_up_gemv.hpp"
#include "studies/gemv_choices.hpp"
#include "studies/himv/launch_runner.hpp"
#include "support/largest.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::studies {
namespace {

using device::Gemv;
using device::GemvKind;
using device::GemvTasks;
using testing_support::every_choice;
using testing_support::largest_difference;
using testing_support::MadeUp;
using testing_support::random_vector;

template <Scalar T>
std::vector<T> product(const GemvTasks& tasks, const GemvOptions& options, int threads,
                       const std::vector<T>& x) {
  ThreadPool pool(threads);
  const auto runner = run_launches<T>(make_launch_plan(tasks, options), backend::Device::emulated, pool);
  std::vector<T> y(usize(tasks.rows), T(7));
  for (int repeat = 0; repeat < 2; ++repeat) runner->multiply(x, y);  // counters go on
  return y;
}

template <class T>
class LaunchesTest : public testing::Test {};
TYPED_TEST_SUITE(LaunchesTest, testing_support::Scalars);

TYPED_TEST(LaunchesTest, EveryChoiceGivesTheProductThreads) {
  using T = TypeParam;
  MadeUp<T> made;
  const auto x = random_vector<T>(MadeUp<T>::columns, 3);
  const auto expected = made.expected(x);
  const double allowed = std::same_as<RealOf<T>, float> ? 2e-2 : 1e-4;
  for (const GemvOptions& options : every_choice()) {
    EXPECT_LT(largest_difference(product<T>(made.tasks, options, 1, x), expected), allowed)
        << options.merged << static_cast<int>(options.order) << static_cast<int>(options.cut)
        << options.padded << static_cast<int>(options.sum);
  }
  for (const GemvOptions& options : {GemvOptions{.merged = true}, GemvOptions{}})
    EXPECT_LT(largest_difference(product<T>(made.tasks, options, 3, x), expected), allowed);
}

TEST(LaunchPlan, WithoutAtomicsEveryBitIsTheSameThreads) {
  MadeUp<double> made;
  const auto x = random_vector<double>(MadeUp<double>::columns, 4);
  const GemvOptions merged{.merged = true}, row_blocks{.sum = GemvSum::row_blocks};
  const auto once = product<double>(made.tasks, merged, 1, x);
  for (const int threads : {2, 4}) {
    EXPECT_EQ(product<double>(made.tasks, merged, threads, x), once);
    EXPECT_EQ(product<double>(made.tasks, row_blocks, threads, x), once);
  }
}

TEST(LaunchPlan, DevicesShareThePanels) {
  MadeUp<double> made;
  const auto x = random_vector<double>(MadeUp<double>::columns, 5);
  const GemvOptions options{.count = 2};
  const auto shares = deal_to_devices(made.tasks, options, 3);
  std::vector<double> sum(usize(made.tasks.rows));
  std::size_t panels = 0;
  for (const GemvTasks& share : shares) {
    EXPECT_GT(share.right.size(), 0u);
    panels += share.right.size() + share.left.size();
    // U is where its V is.
    for (const Gemv& u : share.left) {
      if (u.kind == GemvKind::rows_of_sums)
        EXPECT_TRUE(std::ranges::any_of(share.right, [&](const Gemv& v) { return v.target == u.source; }));
    }
    const auto part = product<double>(share, {.merged = true}, 1, x);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  EXPECT_EQ(panels, made.tasks.right.size() + made.tasks.left.size());
  EXPECT_LT(largest_difference(sum, made.expected(x)), 1e-4);
}

// Panels of V with so many columns, and dense ones with so many rows, all 40 long.
GemvTasks tasks_of(const std::vector<Index>& ranks, const std::vector<Index>& heights) {
  GemvTasks tasks{.columns = 40, .rows = 1000};
  for (const Index rank : ranks) tasks.right.push_back({0, GemvKind::sums_of_x, 40, rank, 0, 0});
  for (const Index height : heights) tasks.left.push_back({0, GemvKind::rows_of_x, height, 40, 0, 0});
  return tasks;
}

TEST(LaunchPlan, OrdersAreThoseOfThePaper) {
  GemvTasks tasks = tasks_of({}, {30, 4, 12, 9, 3});
  for (std::size_t i = 0; i < tasks.left.size(); ++i) tasks.left[i].cols = 50 - static_cast<Index>(i);
  const auto rows = [&](GemvOrder order) {
    std::vector<Index> list;
    for (const Gemv& g : make_launch_plan(tasks, {.order = order}).gemv) list.push_back(g.rows);
    return list;
  };
  EXPECT_EQ(rows(GemvOrder::as_they_come), (std::vector<Index>{30, 4, 12, 9, 3}));
  EXPECT_EQ(rows(GemvOrder::rows), (std::vector<Index>{3, 4, 9, 12, 30}));
  // In each eight by columns: those of 3 rows are fewer than those of 4, those of 9 than those of 12.
  EXPECT_EQ(rows(GemvOrder::rows_in_eights), (std::vector<Index>{3, 4, 9, 12, 30}));
  tasks.left[4].cols = 60;
  EXPECT_EQ(rows(GemvOrder::rows_in_eights), (std::vector<Index>{4, 3, 9, 12, 30}));
}

TEST(LaunchPlan, WhatIsLaunchedInVain) {
  // One batch of all: as many blocks of threads for each as for 600 rows, and as many threads.
  const GemvTasks tasks = tasks_of({3}, {5, 40, 600});
  const GemvCounts one = count_gemv(make_launch_plan(tasks, {.cut = GemvCut::count}));
  EXPECT_EQ(one.launches, 1);
  EXPECT_EQ(one.blocks, 4 * 3);
  EXPECT_EQ(one.idle_blocks, 3 * 2);
  EXPECT_EQ(one.threads, 4 * 3 * 256);
  EXPECT_EQ(one.idle_threads, 4 * 3 * 256 - (3 * 32 + 5 + 40 + 600));
  EXPECT_EQ(one.padding, 0);
  // By ranges of rows each of the three sizes is by itself.
  const GemvCounts ranges = count_gemv(make_launch_plan(tasks, {.cut = GemvCut::row_ranges}));
  EXPECT_EQ(ranges.launches, 3);
  EXPECT_EQ(ranges.blocks, 2 + 1 + 3);
  EXPECT_EQ(ranges.idle_blocks, 0);
  EXPECT_EQ(ranges.threads, 2 * 96 + 64 + 3 * 256);
  // Padded to 600 x 40, and the panel of V, whose shape is its own, not at all.
  const GemvCounts padded = count_gemv(make_launch_plan(tasks, {.cut = GemvCut::count, .padded = true}));
  EXPECT_EQ(padded.padding, 40 * (595 + 560));
  EXPECT_EQ(padded.numbers, 40 * (3 + 3 * 600));
  const GemvCounts limited = count_gemv(make_launch_plan(tasks, {.cut = GemvCut::count, .count = 3}));
  EXPECT_EQ(limited.launches, 2);
}

TEST(LaunchPlan, StripsAreNotPadded) {
  EXPECT_THROW(make_launch_plan({}, {.merged = true, .padded = true}), Error);
  EXPECT_THROW(make_launch_plan({}, {.padded = true, .sum = GemvSum::row_blocks}), Error);
}

TEST(LaunchPlan, StreamsTakeTurns) {
  const GemvTasks tasks = tasks_of({}, {5, 20, 40, 70, 100});
  const LaunchPlan plan = make_launch_plan(tasks, {.streams = 3});
  std::vector<Index> streams;
  for (const GemvBatch& batch : plan.batch) streams.push_back(batch.stream);
  EXPECT_EQ(streams, (std::vector<Index>{0, 1, 2, 0, 1}));
}

}  // namespace
}  // namespace trisweep::studies
