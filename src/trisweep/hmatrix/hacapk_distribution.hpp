#pragma once
// How HACApK deals an H-matrix out to ranks (Ida, Iwashita, Mifune, Takahashi 2014), to compare ours with:
// whole blocks in the order of their first rows, cut into parts of about equal work, as it is guessed before
// anything is compressed. A rank has the rows of its blocks: contiguous, but others have some of them, too.

#include <vector>

#include "trisweep/hmatrix/cluster_tree.hpp"

namespace trisweep::hmatrix {

struct HacapkDistribution {
  std::vector<Index> owner;  // of each block
  Offset rows = 0;           // of all ranks together
};
HacapkDistribution hacapk_distribution(const ClusterTree& tree, const std::vector<Block>& leaves,
                                       Index ranks);

}  // namespace trisweep::hmatrix
