// Matrices on which partial pivoting lets entries grow like powers of two.

#include <gtest/gtest.h>

#include "numeric/support.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/scalars.hpp"

namespace trisweep::numeric {
namespace {

using testing::epsilon;

template <class T>
class Growth : public ::testing::Test {};
TYPED_TEST_SUITE(Growth, testing_support::Scalars);

TYPED_TEST(Growth, IsStoppedByPivotsAmongAllColumnsOfAFront) {
  using T = TypeParam;
  constexpr Index n = 120;
  const auto a = testing_support::with_phases<T>(testing_support::wilkinson(n));
  const testing::DenseMatrix dense = testing::dense(a);
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
