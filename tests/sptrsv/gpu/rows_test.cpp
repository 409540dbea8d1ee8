// Rows on a GPU, against their equations.

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
class GpuRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuRowsTest, testing_support::Scalars);

TYPED_TEST(GpuRowsTest, SolvesByEveryAlgorithm) {
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

}  // namespace
}  // namespace trisweep::sptrsv
