#pragma once
// A binary tree of clusters of points in boxes, and the blocks that pairs of clusters form.

#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/hmatrix/point.hpp"

namespace trisweep::hmatrix {

// Points order[begin, end), in the box from `low` to `high`.
struct Cluster {
  Index begin = 0;
  Index end = 0;
  Point low{};
  Point high{};
  Index left = -1;  // its halves; -1: it is a leaf
  Index right = -1;

  Index size() const { return end - begin; }
  bool is_leaf() const { return left < 0; }
  double diameter() const { return length(high - low); }
};
double distance(const Cluster& a, const Cluster& b);

struct ClusterTree {
  std::vector<Cluster> cluster;  // the root first
  std::vector<Index> order;      // point numbers, those of a cluster contiguous
  std::vector<Point> point;      // by number; empty for a matrix that was read from files

  Index size() const { return static_cast<Index>(order.size()); }
};

// Each cluster of more than `leaf_size` points is halved across the longest side of its box. Throws
// Error(usage) when leaf_size is not positive, Error(input) when a point is not finite.
ClusterTree make_cluster_tree(const std::vector<Point>& points, Index leaf_size);

struct BlockOptions {
  double eta = 2;         // admissible: the smaller diameter is at most eta times the distance
  Index least_side = 16;  // of admissible blocks
};

// A block, by the clusters of its rows and columns.
struct Block {
  Index row = 0;
  Index col = 0;
  bool admissible = false;
};

// The leaves of the block tree, which cover the matrix: admissible blocks, and blocks of two leaf clusters.
// Depth first.
std::vector<Block> make_blocks(const ClusterTree& tree, const BlockOptions& options);

}  // namespace trisweep::hmatrix
