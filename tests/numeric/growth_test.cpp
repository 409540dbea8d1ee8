// Matrices on which partial pivoting lets entries grow like powers of two.

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/support.hpp"
#include "support/scalars.hpp"

namespace trisweep::numeric {
namespace {

using testing::DenseMatrix;
using testing::epsilon;

template <class T>
class Growth : public ::testing::Test {};
TYPED_TEST_SUITE(Growth, testing_support::Scalars);

// After Wilkinson (The Algebraic Eigenvalue Problem, 1965, p. 212): the last entry becomes 2^(n-1), and yet
// the matrix is well conditioned.
DenseMatrix wilkinson(Index n) {
  DenseMatrix a(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) a(i, j) = -1;
    a(i, i) = 1;
    a(i, n - 1) = 1 + 0.01 * std::sin(i);  // not integers, whose sums are exact
  }
  return a;
}

TYPED_TEST(Growth, IsStoppedByPivotsAmongAllColumnsOfAFront) {
  using T = TypeParam;
  constexpr Index n = 120;
  const DenseMatrix dense = wilkinson(n);
  const auto a = testing::sparse<T>(dense);
  for (const Index width : {n, Index{40}}) {
    std::vector<Index> first;
    for (Index i = 0; i < n; i += width) first.push_back(i);
    first.push_back(n);
    const auto structure = testing::structure_of(a.pattern, first);
    const auto error = [&](const FactorizationOptions& options) {
      const auto f = factor(a, structure, Kind::lu, options);
      EXPECT_EQ(f->perturbed_pivots, 0);
      return testing::max_difference(testing::reconstruct(*f), dense);
    };
    EXPECT_GT(error({.relative_threshold = 0.5}), 1e-3) << width;
    EXPECT_LT(error({.relative_threshold = 0.5, .growth = 1000}), 1e4 * epsilon<T>) << width;
  }
}

}  // namespace
}  // namespace trisweep::numeric
