#include "trisweep/symbolic/tree_separators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace trisweep::symbolic {
namespace {

// Parents after their children, of several trees.
std::vector<Index> random_forest(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Index> parent;
  for (Index v = 0; v + 1 < n; ++v) {
    const auto reach = static_cast<Index>(random() % usize(std::min<Index>(n - v - 1, 9)));
    parent.push_back(random() % 16 == 0 ? -1 : v + 1 + reach);
  }
  parent.push_back(-1);
  return parent;
}

Index node_of(const ordering::SeparatorTree& tree, Index column) {
  for (Index t = 1; t < tree.nodes(); ++t) {
    if (tree.begin[usize(t)] <= column && column < tree.end[usize(t)]) return t;
  }
  return 0;
}

// Every column in one node, parents in a node above that of their children, and later in the order.
TEST(TreeSeparators, KeepTheOrderOfElimination) {
  for (const Index n : {1, 2, 5, 60, 300}) {
    for (const int levels : {0, 1, 3}) {
      const std::vector<Index> parent = random_forest(n, 3);
      const TreeOrder made = tree_separators(parent, std::vector<double>(parent.size(), 1), levels);
      std::vector<Index> sorted = made.new_of;
      std::ranges::sort(sorted);
      std::vector<Index> all(parent.size());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(sorted, all);
      EXPECT_EQ(made.tree.levels, levels);
      EXPECT_EQ(made.tree.end[1], n);
      for (std::size_t v = 0; v < parent.size(); ++v) {
        Index t = node_of(made.tree, made.new_of[v]);
        ASSERT_GE(t, 1);
        if (parent[v] < 0) continue;
        EXPECT_LT(made.new_of[v], made.new_of[usize(parent[v])]);
        const Index above = node_of(made.tree, made.new_of[usize(parent[v])]);
        while (t > above) t /= 2;
        EXPECT_EQ(t, above) << "of column " << v;
      }
    }
  }
}

// Two chains of five under one of three: the separator is that one.
TEST(TreeSeparators, AreWhatJoinsEqualSubtrees) {
  const std::vector<Index> parent{1, 2, 3, 4, 10, 6, 7, 8, 9, 10, 11, 12, -1};
  const TreeOrder made = tree_separators(parent, std::vector<double>(parent.size(), 1), 1);
  EXPECT_EQ(made.tree.begin, (std::vector<Index>{0, 10, 0, 5}));
  EXPECT_EQ(made.tree.end, (std::vector<Index>{0, 13, 5, 10}));
}

// Work, not columns, is what halves have equal parts of.
TEST(TreeSeparators, HalveTheWork) {
  const std::vector<Index> parent{4, 4, 4, 4, -1};
  const TreeOrder made = tree_separators(parent, {3, 1, 1, 1, 1}, 1);
  EXPECT_EQ(made.tree.end[2] - made.tree.begin[2], 1);
  EXPECT_EQ(made.tree.end[3] - made.tree.begin[3], 3);
}

}  // namespace
}  // namespace trisweep::symbolic
