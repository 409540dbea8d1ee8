#include <gtest/gtest.h>

#include "apps/bem/single_layer.hpp"
#include "apps/bem/spheres.hpp"
#include "trisweep/hmatrix/block_exchange.hpp"
#include "trisweep/hmatrix/compressed_blocks.hpp"

namespace trisweep::hmatrix {
namespace {

TEST(EstimatedBytes, AreThoseOfAllBlocksByAFewOfThem) {
  const bem::TriangleMesh mesh = bem::sphere_mesh({6, 20}, 1, {0, 0, 0});
  const bem::SingleLayer kernel(mesh);
  const ClusterTree tree = make_cluster_tree(centroids(mesh), 15);
  const auto leaves = make_blocks(tree, {});
  const RowBlocks row_blocks = make_row_blocks(tree, 256);
  for (const double eps : {1e-2, 1e-6}) {
    const BlockSource<double> source{kernel, tree, row_blocks, {.eps = eps}};
    double bytes = 0;
    for (const Block& leaf : leaves) {
      for (const StoredBlock& block : source.compress(leaf, 0)) bytes += double(block.bytes.size());
    }
    EXPECT_NEAR(estimated_bytes(source, leaves) / bytes, 1, 0.1) << eps;
  }
}

}  // namespace
}  // namespace trisweep::hmatrix
