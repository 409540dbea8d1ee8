#include "trisweep/symbolic/etree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ordering/patterns.hpp"
#include "symbolic/dense_elimination.hpp"

namespace trisweep::symbolic {
namespace {

using testing::ElementsAre;

TEST(EliminationTree, OfAnArrowheadIsAStarOrAPath) {
  // The hub last: nothing fills, every column waits for the hub alone. The hub first: everything fills.
  EXPECT_THAT(elimination_tree(test::pattern_of(4, {{0, 3}, {1, 3}, {2, 3}})), ElementsAre(3, 3, 3, -1));
  EXPECT_THAT(elimination_tree(test::pattern_of(4, {{0, 1}, {0, 2}, {0, 3}})), ElementsAre(1, 2, 3, -1));
}

TEST(EliminationTree, ParentIsTheFirstEntryBelowTheDiagonalOfL) {
  for (const auto& [name, pattern] : test::assorted_patterns()) {
    SCOPED_TRACE(name);
    const auto columns = test::eliminated(pattern);
    const std::vector<Index> parent = elimination_tree(pattern);
    const std::vector<Index> count = column_counts(pattern, parent, postorder(parent));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      EXPECT_EQ(parent[j], columns[j].empty() ? -1 : columns[j].front());
      EXPECT_EQ(count[j], static_cast<Index>(columns[j].size()) + 1);
    }
  }
}

TEST(Postorder, PutsSubtreesTogether) {
  EXPECT_THAT(postorder({4, 5, 4, 5, 6, -1, -1}), ElementsAre(1, 3, 5, 0, 2, 4, 6));
  EXPECT_THAT(postorder({}), ElementsAre());
}

TEST(Postorder, RangesComeFirst) {
  // Two leaves, 0-1 and 2-3, under the separator 4-5, whose columns are not joined.
  EXPECT_THAT(numbered_by_range(postorder({5, 4, 4, 5, -1, -1}), {0, 0, 1, 1, 2, 2}, 3),
              ElementsAre(1, 0, 2, 3, 4, 5));
}

}  // namespace
}  // namespace trisweep::symbolic
