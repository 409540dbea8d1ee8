// Rows on a GPU, against their equations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "support/scalars.hpp"
#include "support/watchdog.hpp"
#include "trisweep/sptrsv/device_solver.hpp"

namespace trisweep::sptrsv {
namespace {

using testing_support::from_gallery;
using testing_support::lower_matrices;
using testing_support::random_lower;
using testing_support::random_vector;
using testing_support::residual;
using testing_support::show_life;

template <class T>
class GpuRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuRowsTest, testing_support::Scalars);
template <class T>
class GpuRowsTestThreads : public GpuRowsTest<T> {};
TYPED_TEST_SUITE(GpuRowsTestThreads, testing_support::DoubleScalars);

// Every op and algorithm, for each of these numbers of right-hand sides.
template <class T>
void expect_solves(const std::vector<matrix::Csr<T>>& matrices, const std::vector<Index>& several) {
  int turn = 0;
  for (const auto& lower : matrices) {
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      const bool upper = ++turn % 2 == 0;
      const auto a = upper ? matrix::transpose(lower) : lower;
      const Form form{.upper = upper, .unit = turn % 3 == 0};
      for (const auto& algorithm : device_algorithms()) {
        show_life();
        DeviceSolver<T> solver(
            a, form, op,
            {.device = backend::Device::TRISWEEP_GPU_KIND, .algorithm = std::string(algorithm.name)});
        for (const Index nrhs : several) {
          const auto b = random_vector<T>(usize(a.rows()) * usize(nrhs), 3);
          std::vector<T> x(b.size());
          solver.solve({b.data(), a.rows(), nrhs}, {x.data(), a.rows(), nrhs});
          EXPECT_LT(residual<T>(a, form.unit, op, Vectors<const T>(x.data(), a.rows(), nrhs),
                                Vectors<const T>(b.data(), a.rows(), nrhs)),
                    40)
              << algorithm.name << " " << nrhs;
        }
      }
    }
  }
}

TYPED_TEST(GpuRowsTest, SolvesByEveryAlgorithm) {
  expect_solves(lower_matrices<TypeParam>(), {1, 3, 37});
}

// Few rows, which the thread sanitizer follows.
TYPED_TEST(GpuRowsTestThreads, SolveByEveryAlgorithm) {
  using T = TypeParam;
  expect_solves<T>({random_lower<T>(40, 3, 40), from_gallery<T>("graph", 30)}, {1, 3});
}

// A row that needs itself.
TYPED_TEST(GpuRowsTestThreads, TheWatchdogEndsASolveThatWaitsForEver) {
  using T = TypeParam;
  using Number = backend::NumberOf<T>;
  constexpr auto gpu = backend::Device::TRISWEEP_GPU_KIND;
  const auto placed = [&]<class V>(const std::vector<V>& values) {
    return backend::DeviceArray<const V>(gpu, std::span(values));
  };
  const auto number = placed(std::vector<Index>{0}), column = placed(std::vector<Index>{0});
  const auto begin = placed(std::vector<Offset>{0, 1});
  const auto b = placed(std::vector<T>{T(1)}), value = placed(std::vector<T>{T(1)});
  const backend::DeviceArray<T> x(gpu, 1);
  const backend::DeviceArray<Count> solved(gpu, 1);
  const backend::DeviceArray<RowControl> control(gpu, 1);
  const RowsView<Number> rows{.number = number.data(),
                              .begin = begin.data(),
                              .column = column.data(),
                              .value = reinterpret_cast<const Number*>(value.data()),
                              .diagonal = nullptr,
                              .x = reinterpret_cast<Number*>(x.data()),
                              .solved = solved.data(),
                              .control = control.data()};
  const RowTask<Number> task{
      .rows = {.begin = 0, .end = 1, .waits = true},
      .lanes = 1,
      .columns = 1,
      .nrhs = 1,
      .solve = 1,
      .first_ticket = 0,
      .watchdog = backend::nanoseconds(0.05),
      .caller = device::callers_rows<T>({b.data(), 1, 1}, nullptr, {x.data(), 1, 1}, nullptr)};
  backend::launch({gpu, nullptr}, SolveRows<Number>{rows, task}, 1);
  const backend::Stall stall(gpu);
  stall.record(&control.data()->stalled, nullptr);
  backend::runtime(gpu).wait(nullptr);
  EXPECT_THAT([&] { stall.require_none("row"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("it waits in row 0")));
}

}  // namespace
}  // namespace trisweep::sptrsv
