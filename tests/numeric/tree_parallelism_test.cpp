// How fronts are divided among threads, and what they multiply.

#include "trisweep/numeric/tree_parallelism.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "numeric/support.hpp"
#include "trisweep/numeric/fronts.hpp"
#include "trisweep/numeric/modulus.hpp"

namespace trisweep::numeric {
namespace {

constexpr Index n = 300;

// Nothing but small trees: blocks of three columns. Or all of them below the last column.
Fronts forest(bool is_bordered = false) {
  matrix::Pattern a{.rows = n, .cols = n};
  for (Index i = 0; i < n; ++i) {
    const bool is_border = is_bordered && i == n - 1;
    for (Index j = is_border ? 0 : i / 3 * 3; j < i / 3 * 3 + 3; ++j) a.col.push_back(j);
    if (is_bordered && a.col.back() != n - 1) a.col.push_back(n - 1);
    a.row_ptr.push_back(std::ssize(a.col));
  }
  std::vector<Index> first(usize(n) + 1);
  std::iota(first.begin(), first.end(), 0);
  return make_fronts(a, {}, {}, testing::structure_of(a, first), Kind::lu);
}

TEST(Units, OfOneThreadAreOne) {
  const Fronts fronts = forest();
  const auto units = cut_into_units(fronts.tree, fronts.flops, 1);
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units.front().first, 0);
  EXPECT_EQ(units.front().last, n - 1);
  EXPECT_EQ(units.front().stack, fronts.stack);
}

TEST(Units, HaveEveryFrontOnceAndSeveralSmallTrees) {
  const Fronts fronts = forest();
  const auto units = cut_into_units(fronts.tree, fronts.flops, 2);
  EXPECT_LT(units.size(), usize(n) / 3);
  EXPECT_GE(units.size(), 16u);
  Index next = 0;
  for (const Unit& unit : units) {
    EXPECT_EQ(unit.first, next);
    EXPECT_EQ(unit.parent, -1);
    next = unit.last + 1;
  }
  EXPECT_EQ(next, n);
}

// As arrows have them. The last subtree is a path to the border.
TEST(Units, HaveSeveralSmallSubtreesOfOneParent) {
  const Fronts fronts = forest(true);
  const auto units = cut_into_units(fronts.tree, fronts.flops, 2);
  EXPECT_LT(units.size(), usize(n) / 3);
  Index next = 0, children = 0;
  for (const Unit& unit : units) {
    EXPECT_EQ(unit.first, next);
    next = unit.last + 1;
    if (unit.parent >= 0) EXPECT_EQ(fronts.tree.parent[usize(unit.last)], units[usize(unit.parent)].last);
    children += unit.children;
  }
  EXPECT_EQ(next, fronts.tree.fronts());
  EXPECT_EQ(children, std::ssize(units) - 1);
}

// A tridiagonal matrix, eliminated from its end on, and a leaf that hangs on each of its rows.
TEST(Units, HaveAPathWithWhatHangsOnIt) {
  matrix::Pattern a{.rows = n, .cols = n};
  const auto on_path = [](Index i) { return i % 2 != 0; };
  for (Index i = 0; i < n; ++i) {
    if (on_path(i) && i > 1) a.col.push_back(i - 2);
    if (on_path(i)) a.col.push_back(i - 1);
    a.col.push_back(i);
    if (!on_path(i)) a.col.push_back(i + 1);
    if (on_path(i) && i + 2 < n) a.col.push_back(i + 2);
    a.row_ptr.push_back(std::ssize(a.col));
  }
  std::vector<Index> first(usize(n) + 1);
  std::iota(first.begin(), first.end(), 0);
  const Fronts fronts = make_fronts(a, {}, {}, testing::structure_of(a, first), Kind::lu);
  const auto units = cut_into_units(fronts.tree, fronts.flops, 2);
  EXPECT_LT(units.size(), 40u);
  EXPECT_EQ(units.front().first, 0);
  for (std::size_t u = 1; u < units.size(); ++u) EXPECT_EQ(units[u].first, units[u - 1].last + 1);
  EXPECT_EQ(units.back().last, fronts.tree.fronts() - 1);
}

TEST(ModulusProduct, HasNoLimits) {
  double expected = 0;
  ModulusProduct product;
  for (const double factor : {3.0, 1e300, 7.0, 1e300, 1e308, 0.5, 5e-324, 1e-300, 1e-300, 1e-300, 1e-300}) {
    product.multiply(factor);
    expected += std::log(factor);
    EXPECT_NEAR(product.log(), expected, 1e-10);
  }
  product.multiply(0);
  EXPECT_EQ(product.log(), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace trisweep::numeric
