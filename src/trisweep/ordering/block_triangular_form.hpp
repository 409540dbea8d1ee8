#pragma once
// The block triangular form of a matrix: only its diagonal blocks have to be factored, and entries of the
// off-diagonal ones never fill.
//
// With the rows permuted so that no diagonal entry is zero, the diagonal blocks are the strongly connected
// components of the matrix's graph (Tarjan 1972); which such permutation makes no difference (Dulmage and
// Mendelsohn 1958; Pothen and Fan, "Computing the block triangular form of a sparse matrix", ACM TOMS 16
// (1990)). Every matching of all rows to columns lies in them, so that matrix and diagonal blocks have the
// same matching of largest entries and the same determinant. Rows stay where they are: the form is a mask.
//
// Blocks are solved in stages, one after the other. A block comes in the stage after all that it depends on;
// but stages of few rows are made one with their neighbours, and their blocks factored as one, since each
// stage is a pass over the vectors.

#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::ordering {

struct BlockTriangularForm {
  // Of each row and column, from 0. A nonzero's column is of its row's stage, in a diagonal block, or of one
  // before, in an off-diagonal block.
  std::vector<Index> row_stage;
  std::vector<Index> col_stage;
  Index stages = 1;         // 1: the matrix has no such form, or is structurally singular
  Offset off_diagonal = 0;  // nonzeros in off-diagonal blocks
  // By stage, ascending: its rows with nonzeros in off-diagonal blocks, and the columns of these, as one
  // list.
  std::vector<std::vector<Index>> coupled;
};

// Of a square matrix; explicit zeros are no entries. O(nonzeros) where no diagonal entry is zero. Throws
// std::bad_alloc alone, and what `observer` does.
template <Scalar T>
BlockTriangularForm block_triangular_form(const matrix::Csr<T>& a, Observer& observer);

}  // namespace trisweep::ordering
