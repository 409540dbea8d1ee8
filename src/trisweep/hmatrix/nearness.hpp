#pragma once
// The distances of a block's rows or columns from its other side, with which a kernel of distances varies
// most.

#include <vector>

#include "trisweep/hmatrix/cluster_tree.hpp"

namespace trisweep::hmatrix {

// For each point of `side`, approximate squared distances from the nearest and from the farthest point of
// `other`. Both are empty if the tree has no points.
struct Nearness {
  std::vector<double> near, far;
};
Nearness nearness(const ClusterTree& tree, const Cluster& side, const Cluster& other);

}  // namespace trisweep::hmatrix
