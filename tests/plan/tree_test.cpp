#include "trisweep/plan/tree.hpp"

#include <gtest/gtest.h>

#include "support/structure.hpp"

namespace trisweep::plan {
namespace {

TEST(Tree, ParentsAndChildrenAgree) {
  for (const TreeKind kind : {TreeKind::flat, TreeKind::binary, TreeKind::automatic}) {
    for (Index members = 1; members < 40; ++members) {
      std::vector<int> reached(usize(members));
      reached[0] = 1;
      for (Index p = 0; p < members; ++p) {
        const auto [first, last] = tree_children(kind, p, members);
        for (Index c = first; c < last; ++c) {
          EXPECT_GT(c, p);  // with the root first, everybody is reached
          EXPECT_EQ(tree_parent(kind, c, members), p);
          ++reached[usize(c)];
        }
      }
      EXPECT_EQ(reached, std::vector<int>(usize(members), 1));
    }
  }
}

TEST(Tree, BinaryBoundsDepthAndDegree) {
  for (Index members = 2; members < 100; ++members) {
    Index depth = 0;
    for (Index p = members - 1; p > 0; p = tree_parent(TreeKind::binary, p, members)) ++depth;
    EXPECT_LE(Index{1} << depth, members);
    const auto [first, last] = tree_children(TreeKind::binary, 0, members);
    EXPECT_LE(last - first, 2);
  }
}

// Liu et al. 2018, section 3.1: near the root of a broadcast stand ranks with small block rows, near the root
// of a reduction ranks with large block columns.
TEST(Tree, MembersStandInTheOrderTheirBlocksMatter) {
  const auto s = testing_support::random_structure(300, 0, 5);
  const auto mapping = distribution::block_cyclic(s, {3, 4, 1});
  const auto trees = sweep_trees(s, *mapping, 0, distribution::Side::lower, Direction::scatter);
  for (Index k = 0; k < s.supernodes(); ++k) {
    const auto members = trees.broadcast.of(k);
    ASSERT_EQ(members[0], mapping->diagonal_owner(0, k));
    std::vector<Index> smallest_row;
    for (const Index rank : members.subspan(1)) {
      for (const auto& block : s.blocks(k)) {
        if (mapping->owner(0, distribution::Side::lower, block.row_supernode, k) != rank) continue;
        smallest_row.push_back(block.row_supernode);
        break;
      }
    }
    EXPECT_EQ(smallest_row.size() + 1, members.size());
    EXPECT_TRUE(std::is_sorted(smallest_row.begin(), smallest_row.end()));
  }
}

}  // namespace
}  // namespace trisweep::plan
