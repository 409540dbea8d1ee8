#include "trisweep/kernels/sparse_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/every_isa.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/kernels/line.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::kernels {
namespace {

template <class T>
class SparseProductTest : public testing::Test {};
TYPED_TEST_SUITE(SparseProductTest, testing_support::Scalars);

template <Scalar T>
RealOf<T> magnitude_1(const T& v) {
  return std::abs(std::real(v)) + std::abs(std::imag(v));
}

constexpr Index n = 40, first = 3, rows = 34;  // rows [3, 37) of a product

// With `width` vectors, of which there is room for some more, entry by entry beside the kernel's.
template <Scalar T, class Sums>
void expect_sums(Index width, bool conjugated, bool with_magnitudes, const Sums& sums) {
  // Short rows and long ones have loops of their own.
  for (const Index per_row : {4, 19, 33}) {
    const auto a = testing_support::random_matrix<T>({.n = n, .per_row = per_row, .seed = 7});
    const Index ld = width == 1 ? 1 : width + 3;
    const auto x = testing_support::random_vector<T>(usize(n * ld), 8);
    std::vector<T> product(usize(rows * width), T(99)), magnitude = product;
    sums(SparseRows<T>{a.pattern.row_ptr.data() + first, a.pattern.col.data(), a.value.data(), rows,
                       conjugated},
         RowProducts<T>{width, x.data(), ld, product.data(), with_magnitudes ? magnitude.data() : nullptr});
    for (Index i = 0; i < rows; ++i) {
      for (Index c = 0; c < width; ++c) {
        T sum{};
        RealOf<T> size{};
        for (Offset p = a.pattern.row_ptr[usize(first + i)]; p < a.pattern.row_ptr[usize(first + i) + 1];
             ++p) {
          const T v = a.value[usize(p)], other = x[usize(a.pattern.col[usize(p)] * ld + c)];
          sum += (conjugated ? conjugate(v) : v) * other;
          size += magnitude_1(v) * magnitude_1(other);
        }
        const auto at = usize(i * width + c);
        // Of both sums' roundings, by every entry.
        const double tolerance = 2 * (per_row + 4) * double(std::numeric_limits<RealOf<T>>::epsilon() * size);
        ASSERT_LE(std::abs(product[at] - sum), tolerance) << "row " << i << ", vector " << c;
        ASSERT_LE(std::abs(magnitude[at] - (with_magnitudes ? T(size) : T(99))), tolerance)
            << "row " << i << ", vector " << c;
      }
    }
  }
}

// Lines of any number: of some there are as many at once as there are registers for.
TYPED_TEST(SparseProductTest, OfOneVectorAndOfABundle) {
  using T = TypeParam;
  constexpr Index line = line_rows<T>;
  for (const bool conjugated : {false, true}) {
    for (const bool with_magnitudes : {false, true}) {
      for (const Index width : {Index{1}, line, 2 * line, 3 * line, 4 * line, 7 * line}) {
        expect_sums<T>(width, conjugated, with_magnitudes, sparse_product<T>);
        for_each_row_isa<T>([&](const char* isa, const RowKernels<T>& kernels) {
          SCOPED_TRACE(isa);
          expect_sums<T>(width, conjugated, with_magnitudes, kernels.sparse);
        });
      }
    }
  }
}

template <Scalar T>
struct Answers {
  explicit Answers(Index width_)
      : width(width_),
        x_ld(width == 1 ? 1 : width + 1),
        b_ld(width == 1 ? 1 : width + 5),
        x(testing_support::random_vector<T>(usize(rows * x_ld), 1)),
        b(testing_support::random_vector<T>(usize(rows * b_ld), 2)),
        product(testing_support::random_vector<T>(usize(rows * width), 3)),
        magnitude(usize(rows * width)),
        unknown(usize(rows)),
        weight(usize(rows)) {
    for (std::size_t i = 0; i < magnitude.size(); ++i) magnitude[i] = T(RealOf<T>(1 + i % 5));
    for (std::size_t i = 0; i < unknown.size(); ++i) unknown[i] = RealOf<T>(1 + i % 3);
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = RealOf<T>(1 + i % 4);
  }
  ResidualRows<T> view() {
    return {rows, width,          x.data(),         x_ld,           b.data(),
            b_ld, product.data(), magnitude.data(), unknown.data(), weight.data()};
  }
  Index width, x_ld, b_ld;
  std::vector<T> x, b, product, magnitude;
  std::vector<RealOf<T>> unknown, weight;
};

// Of the lanes of a vector that is alone, the largest.
template <Scalar T>
RealOf<T> of_column(const std::vector<ResidualMaxima<T>>& found,
                    typename ResidualMaxima<T>::Lanes ResidualMaxima<T>::*kind, Index width, Index c) {
  const auto& lanes = found[usize(c / line_rows<T>)].*kind;
  return width == 1 ? *std::ranges::max_element(lanes) : lanes[usize(c % line_rows<T>)];
}

TYPED_TEST(SparseProductTest, MeasuresResiduals) {
  using T = TypeParam;
  using R = RealOf<T>;
  for_each_row_isa<T>([&](const char* isa, const RowKernels<T>& kernels) {
    SCOPED_TRACE(isa);
    for (const Index width : {Index{1}, line_rows<T>, 3 * line_rows<T>}) {
      const Answers<T> given(width);
      Answers<T> v(width);
      using Found = ResidualMaxima<T>;
      std::vector<Found> found(usize(width + line_rows<T> - 1) / usize(line_rows<T>));
      kernels.measure(v.view(), found.data());
      for (Index c = 0; c < width; ++c) {
        R quotient{}, x{}, scaled{}, residual{}, b{}, least = -std::numeric_limits<R>::max();
        for (Index i = 0; i < rows; ++i) {
          const auto at = usize(i * width + c);
          const T of_x = given.x[usize(i * given.x_ld + c)], of_b = given.b[usize(i * given.b_ld + c)];
          const T rest = of_b - given.product[at];
          ASSERT_EQ(v.product[at], rest);
          const R size_of_b = magnitude_1(of_b);
          quotient = std::max(quotient, magnitude_1(rest) / (std::real(given.magnitude[at]) + size_of_b));
          x = std::max(x, magnitude_1(of_x));
          scaled = std::max(scaled, magnitude_1(of_x) * given.unknown[usize(i)]);
          residual = std::max(residual, magnitude_1(rest));
          b = std::max(b, size_of_b);
          least = std::max(least, -(std::real(given.magnitude[at]) + size_of_b) * given.weight[usize(i)]);
        }
        EXPECT_EQ(of_column(found, &Found::quotient, width, c), quotient);
        EXPECT_EQ(of_column(found, &Found::x, width, c), x);
        EXPECT_EQ(of_column(found, &Found::scaled_x, width, c), scaled);
        EXPECT_EQ(of_column(found, &Found::residual, width, c), residual);
        EXPECT_EQ(of_column(found, &Found::b, width, c), b);
        EXPECT_EQ(of_column(found, &Found::least, width, c), least);
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
          v.b[usize(row * v.b_ld + width - 1)] = T(value);
          ResidualMaxima<T> found;
          kernels.measure(v.view(), &found);
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
