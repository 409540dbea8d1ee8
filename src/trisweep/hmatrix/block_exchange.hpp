#pragma once
// The distribution of rows to ranks, and the exchange that brings the blocks there.
//
// Before: each rank has compressed a share of the blocks. After: each has its row blocks' rows of all blocks;
// the row blocks are distributed so that ranks store about equal bytes. Ranks that hold rows of each other
// exchange the three lists of a batch (block_batch.hpp), each list by a sparse exchange.

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/hmatrix/stored_block.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::hmatrix {

// Entries that compressing a block evaluates; for a low-rank block, with a typical rank.
double work_of(const ClusterTree& tree, const Block& block);

// The part [begin, end) of the blocks that a rank compresses: consecutive blocks of about equal work.
struct BlockShare {
  std::size_t begin, end;
};
BlockShare share_of(const ClusterTree& tree, const std::vector<Block>& blocks, Index rank, Index ranks);

// Returns `cut`: rank r gets row blocks [cut[r], cut[r + 1]). Collective; the same on every rank.
std::vector<Index> cut_row_blocks(const mpi::Communicator& comm, const std::vector<StoredBlock>& mine,
                                  const RowBlocks& row_blocks);

// The blocks of this rank's row blocks, in order. Collective; an error may reach one rank alone: for use
// inside mpi::revoke_on_error.
std::vector<StoredBlock> exchange_blocks(const mpi::Communicator& comm, std::vector<StoredBlock> mine,
                                         const RowBlocks& row_blocks, const std::vector<Index>& cut);

}  // namespace trisweep::hmatrix
