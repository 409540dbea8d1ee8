#include "trisweep/hmatrix/cluster_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "apps/bem/spheres.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/hmatrix/stored_block.hpp"

namespace trisweep::hmatrix {
namespace {

TEST(ClusterTree, NeedsFinitePointsAndRoomForOneInALeaf) {
  for (const Index leaf_size : {0, -1}) EXPECT_THROW(make_cluster_tree({{0, 0, 0}}, leaf_size), Error);
  for (const double x : {HUGE_VAL, std::nan("")}) EXPECT_THROW(make_cluster_tree({{0, x, 0}}, 1), Error);
}

TEST(ClusterTree, HoldsEachPointOnceInsideItsBoxes) {
  const auto points = centroids(bem::sphere_mesh({5, 7}, 1, {0, 0, 0}));
  const ClusterTree tree = make_cluster_tree(points, 15);
  std::vector<Index> sorted = tree.order;
  std::ranges::sort(sorted);
  for (Index i = 0; i < tree.size(); ++i) ASSERT_EQ(sorted[usize(i)], i);
  for (const Cluster& c : tree.cluster) {
    EXPECT_EQ(c.is_leaf(), c.size() <= 15);
    for (Index at = c.begin; at < c.end; ++at) {
      for (std::size_t d = 0; d < 3; ++d) {
        ASSERT_LE(c.low[d], points[usize(tree.order[usize(at)])][d]);
        ASSERT_GE(c.high[d], points[usize(tree.order[usize(at)])][d]);
      }
    }
    if (c.is_leaf()) continue;
    EXPECT_EQ(tree.cluster[usize(c.left)].begin, c.begin);
    EXPECT_EQ(tree.cluster[usize(c.left)].end, tree.cluster[usize(c.right)].begin);
    EXPECT_EQ(tree.cluster[usize(c.right)].end, c.end);
  }
}

TEST(ClusterTree, BlocksCoverTheMatrixOnce) {
  const ClusterTree tree = make_cluster_tree(centroids(bem::sphere_mesh({5, 6}, 1, {0, 0, 0})), 10);
  const auto n = usize(tree.size());
  std::vector<int> covered(n * n);
  Index admissible = 0;
  for (const Block& b : make_blocks(tree, {.eta = 1.5, .least_side = 8})) {
    const Cluster &r = tree.cluster[usize(b.row)], &c = tree.cluster[usize(b.col)];
    if (b.admissible) {
      ++admissible;
      EXPECT_GE(std::min(r.size(), c.size()), 8);
      EXPECT_LE(std::min(r.diameter(), c.diameter()), 1.5 * distance(r, c));
    }
    for (Index i = r.begin; i < r.end; ++i) {
      for (Index j = c.begin; j < c.end; ++j) ++covered[usize(i) * n + usize(j)];
    }
  }
  EXPECT_GT(admissible, 10);
  EXPECT_EQ(std::ranges::count(covered, 1), static_cast<std::ptrdiff_t>(n * n));
}

TEST(ClusterTree, NoPointsOneAndManyInOnePlace) {
  EXPECT_TRUE(make_blocks(make_cluster_tree({}, 4), {}).empty());
  EXPECT_EQ(make_blocks(make_cluster_tree({Point{1, 2, 3}}, 4), {}).size(), 1u);
  const ClusterTree tree = make_cluster_tree(std::vector<Point>(100, Point{1, 2, 3}), 16);
  for (const Block& block : make_blocks(tree, {})) EXPECT_FALSE(block.admissible);
}

TEST(RowBlocks, AreClustersThatCoverTheRows) {
  const ClusterTree tree = make_cluster_tree(centroids(bem::sphere_mesh({5, 7}, 1, {0, 0, 0})), 15);
  const RowBlocks row_blocks = make_row_blocks(tree, 40);
  EXPECT_EQ(row_blocks.begin.front(), 0);
  EXPECT_EQ(row_blocks.begin.back(), tree.size());
  for (Index s = 0; s < row_blocks.count(); ++s) {
    const Index begin = row_blocks.begin[usize(s)], end = row_blocks.begin[usize(s) + 1];
    EXPECT_LE(end - begin, 40);
    EXPECT_TRUE(std::ranges::any_of(tree.cluster,
                                    [&](const Cluster& c) { return c.begin == begin && c.end == end; }));
    EXPECT_EQ(row_blocks.of(begin), s);
    EXPECT_EQ(row_blocks.of(end - 1), s);
  }
  EXPECT_EQ(make_row_blocks(tree, 1000).count(), 1);
}

}  // namespace
}  // namespace trisweep::hmatrix
