#include "trisweep/hmatrix/block_batch.hpp"

namespace trisweep::hmatrix {

void BlockBatch::append(const StoredBlock& b) {
  fields.insert(fields.end(), {b.number, b.row_begin, b.row_end, b.col_begin, b.col_end, b.rank,
                               b.first_row_block, b.row_blocks()});
  piece.insert(piece.end(), b.piece.begin(), b.piece.end());
  panels.insert(panels.end(), b.bytes.begin(), b.bytes.end());
}

std::vector<StoredBlock> to_blocks(const BlockBatch& batch) {
  std::vector<StoredBlock> blocks;
  auto piece = batch.piece.begin();
  auto bytes = batch.panels.begin();
  for (auto f = batch.fields.begin(); f != batch.fields.end(); f += block_fields) {
    StoredBlock& b = blocks.emplace_back();
    b = {f[0], f[1], f[2], f[3], f[4], f[5], f[6]};
    const auto pieces_end = piece + f[7] + 1;
    b.piece.assign(piece, pieces_end);
    piece = pieces_end;
    const auto end = bytes + static_cast<Offset>(b.piece.back());
    b.bytes.assign(bytes, end);
    bytes = end;
  }
  return blocks;
}

}  // namespace trisweep::hmatrix
