#include "trisweep/kernels/sparse_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

constexpr Index n = 20, first = 3, rows = 14;  // rows [3, 17) of a product

// With `width` vectors, entry by entry beside the kernel's.
template <Scalar T, class Sums>
void expect_sums(Index width, bool conjugated, const Sums& sums) {
  // Short rows and long ones have loops of their own.
  for (const Index per_row : {4, 19}) {
    const auto a = testing_support::random_matrix<T>({.n = n, .per_row = per_row, .seed = 7});
    const auto x = testing_support::random_vector<T>(usize(n * width), 8);
    std::vector<T> product(usize(rows * width), T(99)), magnitude = product;
    sums(SparseRows<T>{a.pattern.row_ptr.data() + first, a.pattern.col.data(), a.value.data(), rows,
                       conjugated},
         width, x.data(), product.data(), magnitude.data());
    const double tolerance = 50 * std::numeric_limits<RealOf<T>>::epsilon();
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < width; ++c) {
        T sum{};
        RealOf<T> size{};
        for (Offset p = a.pattern.row_ptr[usize(first + i)]; p < a.pattern.row_ptr[usize(first + i) + 1];
             ++p) {
          const T v = a.value[usize(p)], other = x[usize(a.pattern.col[usize(p)] * width + c)];
          sum += (conjugated ? conjugate(v) : v) * other;
          size += magnitude_1(v) * magnitude_1(other);
        }
        const auto at = usize(i * width + c);
        ASSERT_LT(std::abs(product[at] - sum), tolerance) << "row " << i << ", vector " << c;
        if (magnitude[at] != T(99))
          ASSERT_LT(std::abs(magnitude[at] - T(size)), tolerance) << "row " << i << ", vector " << c;
      }
    }
  }
}

TYPED_TEST(SparseProductTest, OfOneVectorAndOfABundle) {
  using T = TypeParam;
  for (const bool conjugated : {false, true}) {
    for (const Index width : {1, line_rows<T>}) {
      expect_sums<T>(width, conjugated, [](const auto& a, Index w, const T* x, T* product, T*) {
        sparse_product(a, w, x, product);
      });
      expect_sums<T>(width, conjugated, sparse_product_and_magnitude<T>);
      for_each_row_isa<T>([&](const char* isa, const RowKernels<T>& kernels) {
        SCOPED_TRACE(isa);
        expect_sums<T>(width, conjugated, kernels.sparse);
      });
    }
  }
}

template <Scalar T>
struct Answers {
  explicit Answers(Index width_)
      : width(width_),
        x(testing_support::random_vector<T>(usize(rows * width), 1)),
        b(testing_support::random_vector<T>(usize(rows * width), 2)),
        product(testing_support::random_vector<T>(usize(rows * width), 3)),
        magnitude(usize(rows * width)),
        unknown(usize(rows)),
        weight(usize(rows)) {
    for (std::size_t i = 0; i < magnitude.size(); ++i) magnitude[i] = T(RealOf<T>(1 + i % 5));
    for (std::size_t i = 0; i < unknown.size(); ++i) unknown[i] = RealOf<T>(1 + i % 3);
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = RealOf<T>(1 + i % 4);
  }
  ResidualRows<T> view() {
    return {rows, width, x.data(), b.data(), product.data(), magnitude.data(), unknown.data(), weight.data()};
  }
  Index width;
  std::vector<T> x, b, product, magnitude;
  std::vector<RealOf<T>> unknown, weight;
};

// Of the lanes of a vector that is alone, the largest.
template <Scalar T>
RealOf<T> of_column(const typename ResidualMaxima<T>::Lanes& lanes, Index width, Index c) {
  return width == 1 ? *std::ranges::max_element(lanes) : lanes[usize(c)];
}

TYPED_TEST(SparseProductTest, MeasuresResiduals) {
  using T = TypeParam;
  using R = RealOf<T>;
  for_each_row_isa<T>([&](const char* isa, const RowKernels<T>& kernels) {
    SCOPED_TRACE(isa);
    for (const Index width : {1, line_rows<T>}) {
      const Answers<T> given(width);
      Answers<T> v(width);
      ResidualMaxima<T> found;
      kernels.measure(v.view(), found);
      for (Index c = 0; c < width; ++c) {
        R quotient{}, x{}, scaled{}, residual{}, b{}, least = -std::numeric_limits<R>::max();
        for (Index i = 0; i < rows; ++i) {
          const auto at = usize(i * width + c);
          const T rest = given.b[at] - given.product[at];
          ASSERT_EQ(v.product[at], rest);
          const R size_of_b = magnitude_1(given.b[at]);
          quotient = std::max(quotient, magnitude_1(rest) / (std::real(given.magnitude[at]) + size_of_b));
          x = std::max(x, magnitude_1(given.x[at]));
          scaled = std::max(scaled, magnitude_1(given.x[at]) * given.unknown[usize(i)]);
          residual = std::max(residual, magnitude_1(rest));
          b = std::max(b, size_of_b);
          least = std::max(least, -(std::real(given.magnitude[at]) + size_of_b) * given.weight[usize(i)]);
        }
        EXPECT_EQ(of_column<T>(found.quotient, width, c), quotient);
        EXPECT_EQ(of_column<T>(found.x, width, c), x);
        EXPECT_EQ(of_column<T>(found.scaled_x, width, c), scaled);
        EXPECT_EQ(of_column<T>(found.residual, width, c), residual);
        EXPECT_EQ(of_column<T>(found.b, width, c), b);
        EXPECT_EQ(of_column<T>(found.least, width, c), least);
      }
    }
  });
}

// Wherever it is: what the maxima say of that vector counts no more, and that of others does.
TYPED_TEST(SparseProductTest, MarksWhatIsNotFinite) {
  using T = TypeParam;
  using R = RealOf<T>;
  for_each_row_isa<T>([&](const char* isa, const RowKernels<T>& kernels) {
    SCOPED_TRACE(isa);
    for (const Index width : {1, line_rows<T>}) {
      for (const R value : {std::numeric_limits<R>::infinity(), std::numeric_limits<R>::quiet_NaN()}) {
        for (const Index row : {0, 5, rows - 1}) {
          Answers<T> v(width);
          const auto at = usize((row + 1) * width - 1);
          v.b[at] = T(value);
          ResidualMaxima<T> found;
          kernels.measure(v.view(), found);
          const Index lanes = static_cast<Index>(found.spoilt.size());
          Index spoilt = 0;
          for (const R lane : found.spoilt) spoilt += lane == 0 ? 0 : 1;
          EXPECT_EQ(spoilt, 1) << "row " << row;
          EXPECT_NE(found.spoilt[width == 1 ? usize(row % lanes) : usize(width - 1)], 0) << "row " << row;
        }
      }
    }
  });
}

}  // namespace
}  // namespace trisweep::kernels
