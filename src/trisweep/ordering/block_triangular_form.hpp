#pragma once
// The block triangular form of a matrix: only its diagonal blocks have to be factored, and entries of the
// off-diagonal ones never fill.
//
// A matrix and its diagonal blocks (ordering/diagonal_blocks.hpp) have the same matching of largest entries
// and the same determinant. Rows are not moved: the form is only a mask.
//
// Blocks are solved in stages, one after the other. A block is in a later stage than all blocks that it
// depends on; but stages of few rows are merged with their neighbours, and their blocks factored as one,
// since each stage is a pass over the vectors. They are merged into fewer where that causes little fill.

#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::ordering {

struct BlockTriangularForm {
  // Stage of each row and column, from 0. The column of a nonzero is in its row's stage (diagonal block) or
  // in an earlier one (off-diagonal block).
  std::vector<Index> row_stage;
  std::vector<Index> col_stage;
  Index stages = 1;         // 1: the matrix has no such form, or is structurally singular
  bool fills_less = false;  // than with few stages, by an ordering of both
  Offset off_diagonal = 0;  // nonzeros in off-diagonal blocks
  // By stage: its rows with nonzeros in off-diagonal blocks and the columns of these nonzeros, in one
  // ascending list.
  std::vector<std::vector<Index>> coupled;
};

// The block triangular form of a square matrix; explicit zeros are ignored. Cost: that of maximum_matching()
// and, where many levels share a stage, of two orderings by minimum degree. Throws Error(environment) when
// memory does not suffice, and what `observer` throws.
template <Scalar T>
BlockTriangularForm block_triangular_form(const matrix::Csr<T>& a, Observer& observer);

}  // namespace trisweep::ordering
