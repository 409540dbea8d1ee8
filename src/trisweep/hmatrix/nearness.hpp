#pragma once
// Where rows and columns of a block are along what a kernel of distances changes with most.

#include <vector>

#include "trisweep/hmatrix/cluster_tree.hpp"

namespace trisweep::hmatrix {

// Of each row the squared distance from one column's point, of each column from one row's: these two are
// about the nearest to each other. Both are empty where the tree has no points.
struct Nearness {
  std::vector<double> row, col;
};
Nearness nearness(const ClusterTree& tree, const Cluster& rows, const Cluster& cols);

}  // namespace trisweep::hmatrix
