#include "trisweep/numeric/diagonal_block.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"

namespace trisweep::numeric {
namespace {

using testing_support::random_vector;

template <class T>
class DiagonalBlockTest : public ::testing::Test {};
TYPED_TEST_SUITE(DiagonalBlockTest, testing_support::Scalars);

// Column-major, its rows of very different size: the first is hardly ever the best pivot.
template <Scalar T>
std::vector<T> uneven_rows(Index n) {
  std::vector<T> value = random_vector<T>(usize(n) * usize(n), 3);
  for (std::size_t e = 0; e < value.size(); ++e) value[e] *= RealOf<T>(1 << (e % usize(n) * 7 % 12));
  return value;
}

template <Scalar T>
T product_entry(View<T> lu, Index i, Index j) {
  T sum{};
  for (Index k = 0; k <= std::min(i, j); ++k) sum += (k == i ? T(1) : lu(i, k)) * lu(k, j);
  return sum;
}

// Wider than what is factored column by column, too.
TYPED_TEST(DiagonalBlockTest, PivotsAreTheLargestOfTheirColumns) {
  using T = TypeParam;
  for (const Index n : {1, 2, 7, 16, 45}) {
    const std::vector<T> a = uneven_rows<T>(n);
    std::vector<T> value = a;
    const View<T> lu{value.data(), n, n, n};
    std::vector<Index> pivots(usize(n));
    EXPECT_EQ(lu_in_place<T>(lu, pivots, RealOf<T>(1e-20)), 0);

    std::vector<Index> row(usize(n));
    std::iota(row.begin(), row.end(), 0);
    for (Index i = 0; i < n; ++i) std::swap(row[usize(i)], row[usize(pivots[usize(i)])]);
    testing_support::Largest multiplier, error;
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (i > j) multiplier.add(std::abs(lu(i, j)));
        error.add(std::abs(product_entry(lu, i, j) - a[usize(row[usize(i)] + j * n)]));
      }
    }
    // Pivots are compared by |re| + |im|, which is at most sqrt(2) times the modulus.
    EXPECT_LE(multiplier.value(), is_complex<T> ? 1.4143 : 1) << n;
    EXPECT_LT(error.value(), 4096 * n * std::numeric_limits<RealOf<T>>::epsilon());
  }
}

}  // namespace
}  // namespace trisweep::numeric
