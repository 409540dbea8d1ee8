#include "trisweep/kernels/sparse_product.hpp"

#include <gtest/gtest.h>

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

// Rows [3, 17) of a product with `width` vectors, entry by entry beside the kernel's.
template <Scalar T, class Kernel>
void expect_product(Index width, bool conjugate_entries, const Kernel& kernel) {
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
        sum += (conjugate_entries ? conjugate(v) : v) * x[usize(a.pattern.col[usize(p)] * width + c)];
      }
      EXPECT_LT(std::abs(product[usize(i * width + c)] - sum), tolerance) << "row " << i << ", vector " << c;
    }
  }
}

TYPED_TEST(SparseProductTest, OfOneVector) {
  for (const bool conjugate : {false, true}) {
    expect_product<TypeParam>(1, conjugate, [](auto&&... arguments) { sparse_product(arguments...); });
    for_each_isa<TypeParam>([&](const char* isa, const Products<TypeParam>& products) {
      SCOPED_TRACE(isa);
      expect_product<TypeParam>(1, conjugate, products.sparse);
    });
  }
}

TYPED_TEST(SparseProductTest, OfABundle) {
  for (const bool conjugate : {false, true}) {
    expect_product<TypeParam>(line_rows<TypeParam>, conjugate,
                              [](auto&&... arguments) { sparse_product_of_bundle(arguments...); });
    for_each_isa<TypeParam>([&](const char* isa, const Products<TypeParam>& products) {
      SCOPED_TRACE(isa);
      expect_product<TypeParam>(line_rows<TypeParam>, conjugate, products.sparse_bundle);
    });
  }
}

}  // namespace
}  // namespace trisweep::kernels
