#pragma once
// HACApK's distribution of an H-matrix over ranks (Ida, Iwashita, Mifune, Takahashi 2014), for comparison
// with ours: whole blocks in the order of their first rows, split into parts of about equal work, as
// estimated before anything is compressed. A rank has the rows of its blocks: they are contiguous, but other
// ranks have some of them, too.

#include <vector>

#include "trisweep/hmatrix/compressed_blocks.hpp"

namespace trisweep::studies {

struct HacapkDistribution {
  std::vector<Index> owner;  // rank of each block
  Offset rows = 0;           // sum over all ranks
};
HacapkDistribution hacapk_distribution(const hmatrix::ClusterTree& tree,
                                       const std::vector<hmatrix::Block>& leaves, Index ranks);

// Load balance of an H-matrix with that distribution.
struct HacapkBalance {
  double bytes = 1;  // largest over the ranks, relative to their mean
  double rows = 1;   // sum over all ranks, relative to the matrix's
};
// To be called before the blocks are distributed. Collective.
template <Scalar T>
HacapkBalance hacapk_balance(const mpi::Communicator& comm, const hmatrix::CompressedBlocks<T>& blocks);

}  // namespace trisweep::studies
