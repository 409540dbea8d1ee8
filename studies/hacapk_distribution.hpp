#pragma once
// How HACApK deals an H-matrix out to ranks (Ida, Iwashita, Mifune, Takahashi 2014), to compare ours with:
// whole blocks in the order of their first rows, cut into parts of about equal work, as it is guessed before
// anything is compressed. A rank has the rows of its blocks: contiguous, but others have some of them, too.

#include <vector>

#include "trisweep/hmatrix/compressed_blocks.hpp"

namespace trisweep::studies {

struct HacapkDistribution {
  std::vector<Index> owner;  // of each block
  Offset rows = 0;           // of all ranks together
};
HacapkDistribution hacapk_distribution(const hmatrix::ClusterTree& tree,
                                       const std::vector<hmatrix::Block>& leaves, Index ranks);

// What that rule would make of an H-matrix.
struct HacapkBalance {
  double bytes = 1;  // of the rank with most of them, over the mean of the ranks
  double rows = 1;   // of all ranks together, over those of the matrix
};
// Before its blocks are dealt out. Collective.
template <Scalar T>
HacapkBalance hacapk_balance(const mpi::Communicator& comm, const hmatrix::CompressedBlocks<T>& blocks);

}  // namespace trisweep::studies
