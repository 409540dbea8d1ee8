#pragma once
// Consecutive blocks as three flat lists, the form in which files and messages between ranks hold them.

#include "trisweep/hmatrix/stored_block.hpp"

namespace trisweep::hmatrix {

// Fields of a block: number, row_begin, row_end, col_begin, col_end, rank, first_row_block, row blocks.
inline constexpr Index block_fields = 8;

struct BlockBatch {
  std::vector<Index> fields;  // block_fields per block
  std::vector<Offset> piece;  // row blocks + 1 per block, counted from the block's first byte
  std::vector<std::byte> panels;

  void append(const StoredBlock& block);
};
std::vector<StoredBlock> to_blocks(const BlockBatch& batch);

}  // namespace trisweep::hmatrix
