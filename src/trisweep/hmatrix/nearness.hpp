#pragma once
// Where rows and columns of a block are along what a kernel of distances changes with most.

#include <vector>

#include "trisweep/hmatrix/cluster_tree.hpp"

namespace trisweep::hmatrix {

// About the squared distance of each row from the nearest and from the farthest column's point, and of each
// column from rows' points. All are empty where the tree has no points.
struct Nearness {
  std::vector<double> row, col;
  std::vector<double> far_row, far_col;
};
Nearness nearness(const ClusterTree& tree, const Cluster& rows, const Cluster& cols);

}  // namespace trisweep::hmatrix
