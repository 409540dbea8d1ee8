#include <gtest/gtest.h>

#include <algorithm>

#include "trisweep/hmatrix/block_exchange.hpp"
#include "trisweep/hmatrix/compressed_blocks.hpp"
#include "trisweep/hmatrix/hacapk_distribution.hpp"
#include "trisweep/hmatrix/single_layer.hpp"
#include "trisweep/hmatrix/spheres.hpp"

namespace trisweep::hmatrix {
namespace {

TEST(HacapkDistribution, GivesWholeBlocksOfAboutEqualWorkAndRowsSeveralTimes) {
  const ClusterTree tree = make_cluster_tree(centroids(sphere_mesh({6, 20}, 1, {0, 0, 0})), 15);
  const auto leaves = make_blocks(tree, {});
  double total = 0, largest_block = 0;
  for (const Block& block : leaves) {
    total += work_of(tree, block);
    largest_block = std::max(largest_block, work_of(tree, block));
  }
  for (const Index ranks : {1, 2, 7, 40}) {
    const HacapkDistribution theirs = hacapk_distribution(tree, leaves, ranks);
    ASSERT_EQ(theirs.owner.size(), leaves.size());
    std::vector<double> work(usize(ranks));
    for (std::size_t b = 0; b < leaves.size(); ++b) work[usize(theirs.owner[b])] += work_of(tree, leaves[b]);
    for (const double of_rank : work) EXPECT_LE(std::abs(of_rank - total / ranks), largest_block) << ranks;
    EXPECT_GE(theirs.rows, tree.size());
    if (ranks == 1) EXPECT_EQ(theirs.rows, tree.size());
    if (ranks == 40) EXPECT_GT(theirs.rows, 2 * tree.size());
  }
}

TEST(EstimatedBytes, AreThoseOfAllBlocksByAFewOfThem) {
  const TriangleMesh mesh = sphere_mesh({6, 20}, 1, {0, 0, 0});
  const SingleLayer kernel(mesh);
  const ClusterTree tree = make_cluster_tree(centroids(mesh), 15);
  const auto leaves = make_blocks(tree, {});
  const Strips strips = make_strips(tree, 256);
  for (const double eps : {1e-2, 1e-6}) {
    const BlockSource<double> source{kernel, tree, strips, {.eps = eps}};
    double bytes = 0;
    for (const Block& leaf : leaves) {
      for (const StoredBlock& block : source.compress(leaf, 0)) bytes += double(block.bytes.size());
    }
    EXPECT_NEAR(estimated_bytes(source, leaves) / bytes, 1, 0.1) << eps;
  }
}

}  // namespace
}  // namespace trisweep::hmatrix
