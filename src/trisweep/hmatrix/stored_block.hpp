#pragma once
// Blocks of the matrix, compressed and packed, before they are put where products read them.
//
// Rows and columns are numbered in the tree's order and cut into *row blocks*: clusters of about equal size,
// the same for any number of ranks and threads. The values of each row block are packed separately, so that
// ranks and threads can share rows by row blocks without changing a bit of the stored data.

#include <cstddef>
#include <span>
#include <vector>

#include "trisweep/hmatrix/cluster_tree.hpp"
#include "trisweep/hmatrix/integral_kernel.hpp"
#include "trisweep/lowrank/cross_approximation.hpp"
#include "trisweep/lowrank/packed_panel.hpp"

namespace trisweep::hmatrix {

// Where row blocks begin, and the end of the last one.
struct RowBlocks {
  std::vector<Index> begin;

  Index count() const { return static_cast<Index>(begin.size()) - 1; }
  Index of(Index row) const;
};
// The largest clusters of at most `rows` rows, and larger leaves.
RowBlocks make_row_blocks(const ClusterTree& tree, Index rows);

struct StoredBlock {
  static constexpr Index dense = -1;

  Index number = 0;  // of the leaf it comes from; those of one leaf are in order
  Index row_begin = 0, row_end = 0;
  Index col_begin = 0, col_end = 0;
  Index rank = dense;
  Index first_row_block = 0;
  // The panel of V if the block has low rank; then, for each of its row blocks, the panel of U or of the
  // dense block: that of row block first_row_block + s from piece[s] to piece[s + 1]. The rows of a dense
  // block lie within one row block, and so do its columns.
  std::vector<std::byte> bytes;
  std::vector<std::size_t> piece;

  Index row_blocks() const { return static_cast<Index>(piece.size()) - 1; }
  std::span<const std::byte> v() const { return {bytes.data(), piece.front()}; }
  std::span<const std::byte> of_row_block(Index row_block) const {
    const std::size_t s = usize(row_block - first_row_block);
    return {bytes.data() + piece[s], piece[s + 1] - piece[s]};
  }
};

// The rows of `block` in row blocks [begin, end).
StoredBlock restricted(const StoredBlock& block, const RowBlocks& row_blocks, Index begin, Index end);

struct BlockCompression {
  double eps = 1e-3;  // relative error ||A - H||_F / ||A||_F of each block; 0: as far as rounding allows
  lowrank::Cross cross = lowrank::Cross::aca_plus;
  bool recompress = true;
  lowrank::Precision precision = lowrank::Precision::adaptive;
  Index most_rank = 0;  // of a block, whatever eps is; 0: any
};

// What compressing a block needs. An admissible block whose rank is too high becomes dense. Throws
// Error(input) when an entry is not finite.
template <Scalar T>
struct BlockSource {
  IntegralKernel<T> kernel;
  const ClusterTree& tree;
  const RowBlocks& row_blocks;
  BlockCompression compression;

  std::vector<StoredBlock> compress(const Block& block, Index number) const;
};

}  // namespace trisweep::hmatrix
