// Steps of an iterative method on a GPU, beside those of the host.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/device/step_runner.hpp"

namespace trisweep::device {
namespace {

using testing_support::largest_difference;
using testing_support::random_vector;

template <class T>
class GpuStepsTestThreads : public testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }

  // What x = a + 1.5 (b - 0.75 x), then b = 0.5 x, leave of x and b, and x^H b.
  std::vector<T> stepped(StepRunner<T>& runner, Index rows, std::complex<double>& sum) {
    using Number = NumberOf<T>;
    std::vector<DeviceArray<T>> memory;
    std::vector<Vectors<T>> v;
    for (int i = 0; i < 3; ++i) {
      memory.push_back(runner.allocate(usize(rows)));
      v.push_back({memory.back().data(), rows, 1, rows, runner.space()});
      const auto values = random_vector<T>(usize(rows), 5 + i);
      runner.copy(values, v.back());
    }
    const auto at = [&](std::size_t i) { return reinterpret_cast<Number*>(v[i].data); };
    VectorStep<Number> step{.rows = rows, .updates = 2, .products = 1};
    step.update[0] = {Form::nested, at(0), at(1), at(2), at(0), number(1.5), number(-0.75), RealOf<T>(1)};
    step.update[1] = {Form::scaled, at(2), at(0), nullptr, nullptr, {}, {}, RealOf<T>(0.5)};
    step.product[0] = {at(0), at(2)};
    const auto found = runner.run({&step, 1}, [] {})[0];
    if constexpr (is_complex<T>) {
      sum = {found.re, found.im};
    } else {
      sum = found;
    }
    std::vector<T> all(2 * usize(rows));
    runner.copy(v[0], {all.data(), rows, 1});
    runner.copy(v[2], {all.data() + rows, rows, 1});
    return all;
  }
  static NumberOf<T> number(double value) {
    const T scalar(static_cast<RealOf<T>>(value));
    return *reinterpret_cast<const NumberOf<T>*>(&scalar);
  }
};
TYPED_TEST_SUITE(GpuStepsTestThreads, testing_support::Scalars);

TYPED_TEST(GpuStepsTestThreads, AreThoseOfTheHost) {
  using T = TypeParam;
  ThreadPool pool(1);
  StepRunner<T> host(Device::native, pool), gpu(Device::TRISWEEP_GPU_KIND, pool);
  for (const Index rows : {1, 33, 513, 100000}) {
    std::complex<double> expected, sum;
    const auto rows_of_host = this->stepped(host, rows, expected);
    const double allowed = 20 * std::numeric_limits<RealOf<T>>::epsilon();
    EXPECT_LT(largest_difference(this->stepped(gpu, rows, sum), rows_of_host), allowed);
    EXPECT_LT(std::abs(sum - expected), allowed * rows);
  }
}

}  // namespace
}  // namespace trisweep::device
