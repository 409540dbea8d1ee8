// What is prepared once for a pattern, and factored with for all values of it.

#include "trisweep/numeric/fronts.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "numeric/support.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/largest.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::numeric {
namespace {

template <class T>
class FrontsTest : public ::testing::Test {};
TYPED_TEST_SUITE(FrontsTest, testing_support::Scalars);

std::vector<Index> shuffled(Index n, unsigned seed) {
  std::vector<Index> order(usize(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

template <Scalar T>
matrix::Csr<T> in_order(const matrix::Csr<T>& a, const std::vector<Index>& row_new,
                        const std::vector<Index>& col_new) {
  const std::vector<double> ones(row_new.size(), 1.0);
  return matrix::permuted_and_scaled<T>(a, row_new, col_new, ones, ones);
}

template <Scalar T>
MatrixValues<T> values_of(const matrix::Csr<T>& a) {
  return {a.value, static_cast<RealOf<T>>(testing_support::largest_magnitude(a.value))};
}

// Supernodes on both sides of what a tiny front is.
TYPED_TEST(FrontsTest, TakeValuesInTheOrderOfTheCallersMatrix) {
  constexpr Index n = 120;
  for (const Kind kind : {Kind::lu, Kind::cholesky}) {
    const auto ordered = testing::random_definite_matrix<TypeParam>({.n = n, .density = 0.03, .seed = 7});
    const auto structure = testing::random_structure(ordered.pattern, 9);
    const auto row = shuffled(n, 1), col = shuffled(n, 2);
    auto given = in_order(ordered, row, col);
    std::vector<Index> row_new(row.size()), col_new(col.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row_new[usize(row[i])] = static_cast<Index>(i);
      col_new[usize(col[i])] = static_cast<Index>(i);
    }
    const Fronts fronts = make_fronts(given.pattern, row_new, col_new, structure, kind);
    for (const double factor_of_values : {1.0, 3.0}) {
      for (TypeParam& v : given.value) v *= RealOf<TypeParam>(factor_of_values);
      const auto expected = factor(in_order(given, row_new, col_new), structure, kind, {});
      const auto f = factor<TypeParam>(fronts, values_of(given), {});
      ASSERT_TRUE(f && expected);
      EXPECT_TRUE(std::ranges::equal(f->lower.span(), expected->lower.span()));
      EXPECT_TRUE(std::ranges::equal(f->diagonal.span(), expected->diagonal.span()));
      EXPECT_TRUE(std::ranges::equal(f->upper.span(), expected->upper.span()));
    }
  }
}

// The same and other values, with pivots planned where the first factorization has delayed them to.
TYPED_TEST(FrontsTest, OfAStructureWithDelayedPivotsGiveTheMatrix) {
  Index delayed_before = 0, delayed_after = 0;
  for (const unsigned seed : {1u, 2u, 3u}) {
    auto a = testing_support::with_phases<TypeParam>(testing_support::integer_basis(80, 2, seed));
    const auto first = factor(a, testing::random_structure(a.pattern, 5, seed), Kind::lu, {});
    ASSERT_FALSE(first->row_new.empty());
    delayed_before += first->delayed_pivots;
    const Fronts fronts = make_fronts(a.pattern, first->row_new, first->col_new, first->structure, Kind::lu);
    for (const double factor_of_values : {1.0, -2.0}) {
      for (TypeParam& v : a.value) v *= RealOf<TypeParam>(factor_of_values);
      const auto f = factor<TypeParam>(fronts, values_of(a), {});
      ASSERT_TRUE(f);
      EXPECT_EQ(f->perturbed_pivots, 0);
      const auto original = testing::dense(in_order(a, first->row_new, first->col_new));
      EXPECT_LT(testing::max_difference(testing::reconstruct(*f), original),
                1e5 * testing::epsilon<TypeParam> * testing::max_abs(original));
      delayed_after += f->delayed_pivots;
    }
  }
  EXPECT_LT(delayed_after, delayed_before / 4);
}

TEST(FrontsErrors, RejectAPatternOutsideTheStructure) {
  const auto a = testing::random_matrix<double>({.n = 20, .density = 0.0});
  const auto structure = testing::random_structure(a.pattern, 1);
  EXPECT_NO_THROW(make_fronts(a.pattern, {}, {}, structure, Kind::lu));
  const auto order = shuffled(20, 3);
  EXPECT_THROW(make_fronts(a.pattern, order, {}, structure, Kind::lu), Error);
  EXPECT_THROW(make_fronts(testing::random_matrix<double>({.n = 21}).pattern, {}, {}, structure, Kind::lu),
               Error);
}

}  // namespace
}  // namespace trisweep::numeric
