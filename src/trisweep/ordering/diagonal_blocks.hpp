#pragma once
// The finest block triangular form of a square matrix, by BTF (Davis and Palamadai Natarajan, "Algorithm 907:
// KLU", ACM TOMS 37 (2010)).
//
// With the rows permuted so that no diagonal entry is zero, the diagonal blocks are the strongly connected
// components of the matrix's graph (Tarjan 1972); the choice of such a permutation makes no difference
// (Dulmage and Mendelsohn 1958; Pothen and Fan, "Computing the block triangular form of a sparse matrix", ACM
// TOMS 16 (1990)): every matching of all rows to columns lies in the diagonal blocks.

#include <optional>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::ordering {

// Blocks are numbered in an order in which each follows those that it depends on: an entry's column is in its
// row's block or in an earlier one.
struct DiagonalBlocks {
  Index count = 0;
  std::vector<Index> of_row, of_col;
  std::vector<Index> rows;    // those of the first block, then of the second, ...
  std::vector<Index> row_of;  // by column: the row that is matched to it
};

// nullopt if not all rows can be matched to columns. Cost: that of maximum_matching(). Throws std::bad_alloc,
// and what `observer` throws.
std::optional<DiagonalBlocks> find_diagonal_blocks(const matrix::Pattern& a, Observer& observer);

}  // namespace trisweep::ordering
