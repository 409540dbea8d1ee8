#pragma once
// The symmetries of a matrix that is distributed by rows, and its symmetrized pattern, distributed alike.

#include <span>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

struct SymmetrizedRows {
  // This rank's rows of the pattern of A + A^T, with a full diagonal and ascending columns of the whole
  // matrix.
  matrix::Pattern pattern;
  // Of the whole matrix, as matrix::value_symmetry.
  bool is_symmetric = false;
  bool is_hermitian = false;
  bool has_positive_diagonal = false;
};

// `rows`: this rank's, with ascending columns of the whole matrix. Each entry is sent once, to the rank of
// its mirror image. Collective.
template <Scalar T>
SymmetrizedRows symmetrized_rows(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                 const distribution::RowPartition& partition);

// Entry (i, j) becomes entry (row[i], col[j]).
struct Renumbering {
  std::span<const Index> row, col;  // of the whole matrix
};
// The symmetrized pattern of a renumbered one, with a full diagonal: this rank's rows of that by `partition`.
// `rows`: of this rank, from row `first` on. Each entry is sent twice: to the rank of its row and to that of
// its mirror image. Collective.
matrix::Pattern symmetrized_pattern(const mpi::Communicator& comm, const matrix::Pattern& rows, Index first,
                                    const Renumbering& renumbering,
                                    const distribution::RowPartition& partition);

}  // namespace trisweep::solve
