// Launches of products of small panels on a GPU, beside what they should be.

#include <gtest/gtest.h>

#include "device/made_up_gemv.hpp"
#include "studies/gemv_choices.hpp"
#include "studies/himv/launch_runner.hpp"
#include "support/largest.hpp"
#include "support/scalars.hpp"

namespace trisweep::studies {
namespace {

using testing_support::every_choice;
using testing_support::largest_difference;
using testing_support::MadeUp;
using testing_support::random_vector;

template <class T>
class GpuLaunchesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuLaunchesTest, testing_support::Scalars);

TYPED_TEST(GpuLaunchesTest, EveryChoiceGivesTheProduct) {
  using T = TypeParam;
  MadeUp<T> made;
  const auto x = random_vector<T>(MadeUp<T>::columns, 3);
  const auto expected = made.expected(x);
  const double allowed = std::same_as<RealOf<T>, float> ? 2e-2 : 1e-4;
  ThreadPool pool(1);
  for (const GemvOptions& options : every_choice()) {
    const auto runner =
        run_launches<T>(make_launch_plan(made.tasks, options), backend::Device::TRISWEEP_GPU_KIND, pool);
    std::vector<T> y(usize(made.tasks.rows), T(7));
    for (int repeat = 0; repeat < 2; ++repeat) runner->multiply(x, y);
    EXPECT_LT(largest_difference(y, expected), allowed);
  }
}

}  // namespace
}  // namespace trisweep::studies
