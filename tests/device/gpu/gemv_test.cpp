// Products of small panels on a GPU, beside what they should be.

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

template <class T>
class GpuGemvTest : public testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuGemvTest, testing_support::Scalars);

TYPED_TEST(GpuGemvTest, TheKernelGivesTheProduct) {
  using T = TypeParam;
  MadeUp<T> made;
  const auto x = random_vector<T>(MadeUp<T>::columns, 3);
  const double allowed = std::same_as<RealOf<T>, float> ? 2e-2 : 1e-4;
  ThreadPool pool(1);
  MergedGemv<T> runner(make_gemv_plan(made.tasks), Device::TRISWEEP_GPU_KIND, pool);
  std::vector<T> y(usize(made.tasks.rows), T(7));
  for (int repeat = 0; repeat < 2; ++repeat) runner.multiply(x, y);
  EXPECT_LT(largest_difference(y, made.expected(x)), allowed);
}

}  // namespace
}  // namespace trisweep::device
