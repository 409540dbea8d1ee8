#include "trisweep/kernels/sparse_product.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "kernels/every_isa.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/kernels/line.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::kernels {
namespace {

template <class T>
class SparseProductTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SparseProductTest, Scalars);

template <Scalar T>
RealOf<T> magnitude_1(const T& v) {
  return std::abs(std::real(v)) + std::abs(std::imag(v));
}

// Rows [3, 17) of a product with `width` vectors, entry by entry beside the kernel's; term(a, x) is what an
// entry adds.
template <Scalar T, class Kernel, class Term>
void expect_sums(Index width, bool conjugate_entries, const Kernel& kernel, const Term& term) {
  constexpr Index n = 20, first = 3, rows = 14;
  const auto a = testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 7});
  const auto x = testing_support::random_vector<T>(usize(n * width), 8);
  std::vector<T> product(usize(rows * width), T(99));
  kernel(SparseRows<T>{a.pattern.row_ptr.data() + first, a.pattern.col.data(), a.value.data(), rows,
                       conjugate_entries},
         x.data(), product.data());
  const double tolerance = 50 * std::numeric_limits<RealOf<T>>::epsilon();
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < width; ++c) {
      T sum{};
      for (Offset p = a.pattern.row_ptr[usize(first + i)]; p < a.pattern.row_ptr[usize(first + i) + 1]; ++p) {
        const T v = a.value[usize(p)];
        sum += term(conjugate_entries ? conjugate(v) : v, x[usize(a.pattern.col[usize(p)] * width + c)]);
      }
      ASSERT_LT(std::abs(product[usize(i * width + c)] - sum), tolerance) << "row " << i << ", vector " << c;
    }
  }
}

template <Scalar T, class Kernel>
void expect_product(Index width, bool conjugate_entries, const Kernel& kernel) {
  expect_sums<T>(width, conjugate_entries, kernel, std::multiplies<>{});
}

template <Scalar T, class Kernel>
void expect_magnitudes(Index width, const Kernel& kernel) {
  expect_sums<T>(width, true, kernel,
                 [](const T& a, const T& x) { return T(magnitude_1(a) * magnitude_1(x)); });
}

TYPED_TEST(SparseProductTest, OfMagnitudes) {
  expect_magnitudes<TypeParam>(1, [](auto&&... arguments) { sparse_magnitudes(arguments...); });
  expect_magnitudes<TypeParam>(line_rows<TypeParam>,
                               [](auto&&... arguments) { sparse_magnitudes_of_bundle(arguments...); });
  for_each_row_isa<TypeParam>([&](const char* isa, const RowKernels<TypeParam>& kernels) {
    SCOPED_TRACE(isa);
    expect_magnitudes<TypeParam>(1, kernels.magnitudes);
    expect_magnitudes<TypeParam>(line_rows<TypeParam>, kernels.magnitudes_bundle);
  });
}

TYPED_TEST(SparseProductTest, OfOneVector) {
  for (const bool conjugate : {false, true}) {
    expect_product<TypeParam>(1, conjugate, [](auto&&... arguments) { sparse_product(arguments...); });
    for_each_row_isa<TypeParam>([&](const char* isa, const RowKernels<TypeParam>& kernels) {
      SCOPED_TRACE(isa);
      expect_product<TypeParam>(1, conjugate, kernels.sparse);
    });
  }
}

TYPED_TEST(SparseProductTest, OfABundle) {
  for (const bool conjugate : {false, true}) {
    expect_product<TypeParam>(line_rows<TypeParam>, conjugate,
                              [](auto&&... arguments) { sparse_product_of_bundle(arguments...); });
    for_each_row_isa<TypeParam>([&](const char* isa, const RowKernels<TypeParam>& kernels) {
      SCOPED_TRACE(isa);
      expect_product<TypeParam>(line_rows<TypeParam>, conjugate, kernels.sparse_bundle);
    });
  }
}

}  // namespace
}  // namespace trisweep::kernels
