#pragma once
// Some consecutive blocks as lists of numbers: what files have of them, and messages on the way there.

#include "trisweep/hmatrix/stored_block.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::hmatrix {

// Numbers of a block: number, row_begin, row_end, col_begin, col_end, rank, first_strip, row blocks.
inline constexpr Index block_fields = 8;
// Blocks are put together until they have as many bytes.
inline constexpr std::size_t bytes_of_batch = std::size_t{1} << 24;

struct BlockBatch {
  std::vector<Index> fields;  // block_fields of each
  std::vector<Offset> piece;  // row blocks + 1 of each, counted from its own first byte
  std::vector<std::byte> panels;
};
BlockBatch to_batch(std::span<const StoredBlock> blocks);
std::vector<StoredBlock> to_blocks(const BlockBatch& batch);

// For use inside mpi::revoke_on_error.
void send(const mpi::Communicator& comm, const BlockBatch& batch, Index to);
BlockBatch receive_batch(const mpi::Communicator& comm, Index from);

}  // namespace trisweep::hmatrix
