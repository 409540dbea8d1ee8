// Launches of products of small panels on a GPU, beside what they should be.

#include <gtest/gtest.h>

#include "device/made_up_gemv.hpp"
#include "studies/gemv_choices.hpp"
#include "studies/himv/launch_runner.hpp"
#include "support/largest.hpp"
#include "support/scalars.hpp"
#include "support/watchdog.hpp"

namespace trisweep::studies {
namespace {

using testing_support::every_choice;
using testing_support::largest_difference;
using testing_support::MadeUp;
using testing_support::random_vector;
using testing_support::show_life;

template <class T>
class GpuLaunchesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuLaunchesTest, testing_support::Scalars);
template <class T>
class GpuLaunchesTestThreads : public GpuLaunchesTest<T> {};
TYPED_TEST_SUITE(GpuLaunchesTestThreads, testing_support::DoubleScalars);

// By every `of_these`-th choice.
template <class T>
void expect_products(std::size_t of_these) {
  MadeUp<T> made;
  const auto x = random_vector<T>(MadeUp<T>::columns, 3);
  const auto expected = made.expected(x);
  const double allowed = std::same_as<RealOf<T>, float> ? 2e-2 : 1e-4;
  ThreadPool pool(1);
  const auto choices = every_choice();
  for (std::size_t c = 0; c < choices.size(); c += of_these) {
    show_life();
    const auto runner =
        run_launches<T>(make_launch_plan(made.tasks, choices[c]), backend::Device::TRISWEEP_GPU_KIND, pool);
    std::vector<T> y(usize(made.tasks.rows), T(7));
    for (int repeat = 0; repeat < 2; ++repeat) runner->multiply(x, y);
    EXPECT_LT(largest_difference(y, expected), allowed);
  }
}

TYPED_TEST(GpuLaunchesTest, EveryChoiceGivesTheProduct) {
  expect_products<TypeParam>(1);
}

TYPED_TEST(GpuLaunchesTestThreads, ChoicesGiveTheProduct) {
  expect_products<TypeParam>(5);
}

}  // namespace
}  // namespace trisweep::studies
