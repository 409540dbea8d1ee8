// Rows on a GPU, against their equations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "support/scalars.hpp"
#include "trisweep/sptrsv/device_solver.hpp"

namespace trisweep::sptrsv {
namespace {

using testing_support::lower_matrices;
using testing_support::random_vector;
using testing_support::residual;

template <class T>
class GpuRowsTestThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuRowsTestThreads, testing_support::Scalars);

TYPED_TEST(GpuRowsTestThreads, SolvesByEveryAlgorithm) {
  using T = TypeParam;
  int turn = 0;
  for (const auto& lower : lower_matrices<T>()) {
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      const bool upper = ++turn % 2 == 0;
      const auto a = upper ? matrix::transpose(lower) : lower;
      const Form form{.upper = upper, .unit = turn % 3 == 0};
      for (const auto& algorithm : device_algorithms()) {
        DeviceSolver<T> solver(
            a, form, op,
            {.device = backend::Device::TRISWEEP_GPU_KIND, .algorithm = std::string(algorithm.name)});
        for (const Index nrhs : {1, 3, 37}) {
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
