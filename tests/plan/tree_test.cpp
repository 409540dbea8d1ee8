#include "trisweep/plan/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

#include "support/structure.hpp"
#include "trisweep/plan/sweep.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::plan {
namespace {

TEST(Tree, ParentsAndChildrenAgree) {
  std::vector<Variant<Tree>> all(trees().begin(), trees().end());
  all.push_back({"binomial", binomial_tree});
  for (const auto& [name, tree] : all) {
    for (Index members = 1; members < 40; ++members) {
      std::vector<int> reached(usize(members));
      reached[0] = 1;
      EXPECT_EQ(tree(0, members).parent, -1) << name;
      for (Index p = 0; p < members; ++p) {
        const TreeNode node = tree(p, members);
        for (Index c = node.first_child; c < node.last_child; ++c) {
          EXPECT_GT(c, p) << name;  // with the root first, everybody is reached
          EXPECT_EQ(tree(c, members).parent, p) << name;
          ++reached[usize(c)];
        }
      }
      EXPECT_EQ(reached, std::vector<int>(usize(members), 1)) << name;
    }
  }
}

TEST(Tree, BinaryBoundsDepthAndDegree) {
  for (Index members = 3; members < 200; ++members) {
    Index depth = 0;
    for (Index p = members - 1; p > 0; p = binary_tree(p, members).parent) ++depth;
    EXPECT_EQ(depth, 1 + std::bit_width(static_cast<unsigned>(members) - 2));
    for (Index p = 0; p < members; ++p) {
      const TreeNode node = binary_tree(p, members);
      EXPECT_LE(node.last_child - node.first_child, p < 2 ? 1 : 2);
    }
  }
}

// In each round every member that has the message sends it once, the largest subtree first: all have it as
// soon as that many can.
TEST(Tree, BinomialTakesTheFewestRounds) {
  for (Index members = 1; members < 70; ++members) {
    std::vector<int> round(usize(members), 0);  // after which a member has it
    for (Index p = 0; p < members; ++p) {
      const TreeNode node = binomial_tree(p, members);
      for (Index c = node.first_child; c < node.last_child; ++c)
        round[usize(c)] = round[usize(p)] + 1 + (c - node.first_child);
    }
    EXPECT_EQ(*std::max_element(round.begin(), round.end()),
              std::bit_width(static_cast<unsigned>(members - 1)))
        << members;
  }
}

// Liu et al. 2018, section 3.1: near the root of a broadcast stand ranks with small block rows, near the root
// of a reduction ranks with large block columns.
TEST(Tree, MembersStandInTheOrderTheirBlocksMatter) {
  const auto s = testing_support::random_structure(300, 0, 5);
  const auto mapping = distribution::block_cyclic(s, {3, 4, 1});
  const auto trees =
      sweep_trees(s, *mapping, 0, {distribution::Side::lower, Direction::scatter, false, binary_tree});
  for (Index k = 0; k < s.supernodes(); ++k) {
    const auto members = trees.broadcast.of(k);
    ASSERT_EQ(members[0], RankId(mapping->diagonal_owner(0, k)));
    std::vector<Index> smallest_row;
    for (const RankId rank : members.subspan(1)) {
      for (const auto& block : s.blocks(k)) {
        if (RankId(mapping->owner(0, distribution::Side::lower, block.row_supernode, k)) != rank) continue;
        smallest_row.push_back(block.row_supernode);
        break;
      }
    }
    EXPECT_EQ(smallest_row.size() + 1, members.size());
    EXPECT_TRUE(std::is_sorted(smallest_row.begin(), smallest_row.end()));
  }
  std::map<std::pair<Index, RankId>, Index> largest_column;  // of the blocks in row I on a rank
  for (Index k = 0; k < s.supernodes(); ++k) {
    for (const auto& block : s.blocks(k)) {
      const RankId rank(mapping->owner(0, distribution::Side::lower, block.row_supernode, k));
      largest_column[{block.row_supernode, rank}] = k;
    }
  }
  for (Index i = 0; i < s.supernodes(); ++i) {
    const auto members = trees.reduction.of(i).subspan(1);
    EXPECT_TRUE(std::is_sorted(members.begin(), members.end(), [&](RankId a, RankId b) {
      return largest_column.at({i, a}) > largest_column.at({i, b});
    })) << i;
  }
}

// Of the separators below, those nearest to the root, on both sides, come first.
TEST(Tree, MembersStandByTheLevelOfTheirSeparators) {
  const auto s = testing_support::random_structure(600, 4, 5);
  const auto mapping = distribution::proportional(s, {16, 1, 1});
  const auto trees =
      sweep_trees(s, *mapping, 0, {distribution::Side::upper, Direction::gather, false, binary_tree});
  const auto level = [&](Index k) {
    Index t = 1;
    while (k < s.tree.begin[usize(t)] || k >= s.tree.end[usize(t)]) ++t;
    return int(std::bit_width(static_cast<unsigned>(t)));
  };
  std::map<std::pair<Index, RankId>, int> highest;  // of the panels with rows in I on a rank
  for (Index k = 0; k < s.supernodes(); ++k) {
    for (const auto& block : s.blocks(k)) {
      const RankId rank(mapping->owner(0, distribution::Side::upper, block.row_supernode, k));
      const auto [at, added] = highest.try_emplace({block.row_supernode, rank}, level(k));
      at->second = std::min(at->second, level(k));
    }
  }
  for (Index i = 0; i < s.supernodes(); ++i) {
    const auto members = trees.broadcast.of(i).subspan(1);
    const auto by_level = [&](RankId a, RankId b) { return highest.at({i, a}) < highest.at({i, b}); };
    EXPECT_TRUE(std::is_sorted(members.begin(), members.end(), by_level)) << i;
  }
}

}  // namespace
}  // namespace trisweep::plan
