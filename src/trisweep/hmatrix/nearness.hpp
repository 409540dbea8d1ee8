#pragma once
// Where the rows or columns of a block are along what a kernel of distances changes with most.

#include <vector>

#include "trisweep/hmatrix/cluster_tree.hpp"

namespace trisweep::hmatrix {

// Of each point of `side`, about the squared distances from the nearest and from the farthest point of
// `other`. Both are empty where the tree has no points.
struct Nearness {
  std::vector<double> near, far;
};
Nearness nearness(const ClusterTree& tree, const Cluster& side, const Cluster& other);

}  // namespace trisweep::hmatrix
