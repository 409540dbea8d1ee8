// Products of small panels on a GPU, beside what they should be.

#include <gmock/gmock.h>
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
class GpuGemvTestThreads : public testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuGemvTestThreads, testing_support::Scalars);

TYPED_TEST(GpuGemvTestThreads, TheKernelGivesTheProduct) {
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

// As if a worker had taken the panels of V and never ended.
TYPED_TEST(GpuGemvTestThreads, TheWatchdogEndsAProductThatWaitsForEver) {
  using T = TypeParam;
  constexpr Device gpu = Device::TRISWEEP_GPU_KIND;
  struct Stuck final : KernelRunner<T> {
    Stuck(GemvPlan plan, ThreadPool& pool) : KernelRunner<T>(std::move(plan), gpu, pool), stall(gpu) {}
    void run() override {
      MergedProduct<NumberOf<T>> product{this->view(), 1, 1, nanoseconds(0.05)};
      const auto taken = static_cast<Count>(product.v.right.end - product.v.right.begin);
      backend::copy(gpu, &product.v.control->ticket, &taken, 1);
      backend::launch_together(this->queue(), product, 1);
      stall.record(&product.v.control->stalled, this->queue().stream);
      this->wait();
      stall.require_none("row");
    }
    backend::Stall stall;
  };
  MadeUp<T> made;
  ThreadPool pool(1);
  Stuck runner(make_gemv_plan(made.tasks), pool);
  EXPECT_THAT([&] { runner.run(); }, testing::ThrowsMessage<Error>(testing::HasSubstr("it waits in row 0")));
}

}  // namespace
}  // namespace trisweep::device
