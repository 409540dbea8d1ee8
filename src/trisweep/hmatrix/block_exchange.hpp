#pragma once
// Which rank has which rows, and the blocks on their way there.
//
// Before: each rank has compressed a share of the blocks. After: each has the rows of all blocks that are in
// its row blocks, and those are cut where the bytes that are stored are about equal. Ranks that have rows of
// each other's exchange the three lists of a batch (block_batch.hpp), by a sparse exchange for each.

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/hmatrix/stored_block.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::hmatrix {

// Entries that compressing a block asks for; those of a low-rank block with a rank as they often are.
double work_of(const ClusterTree& tree, const Block& block);

// The part [begin, end) of the blocks that a rank compresses: about equal work, in their order.
struct BlockShare {
  std::size_t begin, end;
};
BlockShare share_of(const ClusterTree& tree, const std::vector<Block>& blocks, Index rank, Index ranks);

// Rank r gets row blocks [cut[r], cut[r + 1]). Collective; the same on every rank.
std::vector<Index> cut_row_blocks(const mpi::Communicator& comm, const std::vector<StoredBlock>& mine,
                                  const RowBlocks& row_blocks);

// The blocks of this rank's row blocks, in order. Collective; a rank that fails here fails alone: for use
// inside mpi::revoke_on_error.
std::vector<StoredBlock> exchange_blocks(const mpi::Communicator& comm, std::vector<StoredBlock> mine,
                                         const RowBlocks& row_blocks, const std::vector<Index>& cut);

}  // namespace trisweep::hmatrix
