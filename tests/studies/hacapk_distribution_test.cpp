#include "studies/hacapk_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "apps/bem/spheres.hpp"
#include "trisweep/hmatrix/block_exchange.hpp"

namespace trisweep::studies {
namespace {

using hmatrix::Block;
using hmatrix::ClusterTree;
using hmatrix::make_blocks;

TEST(HacapkDistribution, GivesWholeBlocksOfAboutEqualWorkAndRowsSeveralTimes) {
  const ClusterTree tree = make_cluster_tree(centroids(bem::sphere_mesh({6, 20}, 1, {0, 0, 0})), 15);
  const auto leaves = make_blocks(tree, {});
  double total = 0, largest_block = 0;
  for (const Block& block : leaves) {
    total += hmatrix::work_of(tree, block);
    largest_block = std::max(largest_block, hmatrix::work_of(tree, block));
  }
  for (const Index ranks : {1, 2, 7, 40}) {
    const HacapkDistribution theirs = hacapk_distribution(tree, leaves, ranks);
    ASSERT_EQ(theirs.owner.size(), leaves.size());
    std::vector<double> work(usize(ranks));
    for (std::size_t b = 0; b < leaves.size(); ++b)
      work[usize(theirs.owner[b])] += hmatrix::work_of(tree, leaves[b]);
    for (const double of_rank : work) EXPECT_LE(std::abs(of_rank - total / ranks), largest_block) << ranks;
    EXPECT_GE(theirs.rows, tree.size());
    if (ranks == 1) EXPECT_EQ(theirs.rows, tree.size());
    if (ranks == 40) EXPECT_GT(theirs.rows, 2 * tree.size());
  }
}

}  // namespace
}  // namespace trisweep::studies
