#pragma once
// The rows of A, b and x as the ranks of a program have them.

#include <mpi.h>

#include <vector>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::mpi {
class Communicator;
}

namespace trisweep::solve {

// The rows of a square matrix that this rank has: as many as it likes, maybe none.
template <Scalar T>
struct BlockRows {
  matrix::Csr<T> a{};  // columns by their numbers in the whole matrix
  // Of each row in the whole matrix, in any order. Without rows on all ranks: they follow those of the rank
  // before.
  std::vector<Index> number{};
};

// Throws Error(input) unless a matrix of `rows` rows and `cols` columns is that of a linear system: square,
// with one row at least.
void require_square(Offset rows, Offset cols);

// Collective. Even blocks of the rows of a matrix `a` that rank 0 has (others: none): one way to have them.
// Throws Error(input) on every rank when it is not square or has no rows.
template <Scalar T>
BlockRows<T> dealt_out(MPI_Comm comm, matrix::Csr<T> a);

// The same rows and columns in another order: that of the ranks and of each rank's rows, so that every rank's
// rows are consecutive. Vectors stay as they are.
template <Scalar T>
struct ConsecutiveRows {
  matrix::Csr<T> a;                      // this rank's rows
  distribution::RowPartition partition;  // which rows each rank has
  std::vector<Offset> entry;             // of the caller's rows, by entry of a; empty: the same
  // BlockRows::number of this rank's rows; on rank 0 of all ranks' rows, its own first. Empty: none was
  // given.
  std::vector<Index> number;
};

// Collective. Throws on every rank Error(usage) when `rows` are not those of one square matrix, each once,
// and Error(input) when it is empty or an entry is not finite; both name rows and columns of the whole
// matrix, from 0.
template <Scalar T>
ConsecutiveRows<T> consecutive(const mpi::Communicator& comm, BlockRows<T> rows);

}  // namespace trisweep::solve
