#pragma once
// Some consecutive blocks as three lists: what files have of them, and messages between ranks.

#include "trisweep/hmatrix/stored_block.hpp"

namespace trisweep::hmatrix {

// Of a block: number, row_begin, row_end, col_begin, col_end, rank, first_row_block, row blocks.
inline constexpr Index block_fields = 8;

struct BlockBatch {
  std::vector<Index> fields;  // block_fields of each
  std::vector<Offset> piece;  // row blocks + 1 of each, counted from its own first byte
  std::vector<std::byte> panels;

  void append(const StoredBlock& block);
};
std::vector<StoredBlock> to_blocks(const BlockBatch& batch);

}  // namespace trisweep::hmatrix
