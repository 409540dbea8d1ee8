#pragma once
// The block triangular form of a matrix: only its diagonal blocks have to be factored, and entries of the
// off-diagonal ones never fill.
//
// With the rows permuted so that no diagonal entry is zero, the diagonal blocks are the strongly connected
// components of the matrix's graph (Tarjan 1972); the choice of such a permutation makes no difference
// (Dulmage and Mendelsohn 1958; Pothen and Fan, "Computing the block triangular form of a sparse matrix", ACM
// TOMS 16 (1990)). Every matching of all rows to columns lies in the diagonal blocks, so that the matrix and
// its diagonal blocks have the same matching of largest entries and the same determinant. Rows are not moved:
// the form is only a mask.
//
// Blocks are solved in stages, one after the other. A block is in a later stage than all blocks that it
// depends on; but stages of few rows are merged with their neighbours, and their blocks factored as one,
// since each stage is a pass over the vectors.

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
  Offset off_diagonal = 0;  // nonzeros in off-diagonal blocks
  // By stage: its rows with nonzeros in off-diagonal blocks and the columns of these nonzeros, in one
  // ascending list.
  std::vector<std::vector<Index>> coupled;
};

// The block triangular form of a square matrix; explicit zeros are ignored. Cost: O(nonzeros) if no diagonal
// entry is zero. Throws only std::bad_alloc and what `observer` throws.
template <Scalar T>
BlockTriangularForm block_triangular_form(const matrix::Csr<T>& a, Observer& observer);

}  // namespace trisweep::ordering
