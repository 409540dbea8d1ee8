#pragma once
// The rows of A, b and x as the caller distributes them over ranks.

#include <mpi.h>

#include <vector>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::mpi {
class Communicator;
}

namespace trisweep::solve {

// This rank's rows of a square matrix: any number of them, possibly none.
template <Scalar T>
struct BlockRows {
  matrix::Csr<T> a{};  // columns by their numbers in the whole matrix
  // Number of each row in the whole matrix, in any order. Empty on all ranks: rows are numbered
  // consecutively, in rank order.
  std::vector<Index> number{};
};

// Throws Error(input) unless a `rows` x `cols` matrix is square and has at least one row.
void require_square(Offset rows, Offset cols);

// Collective. Distributes a matrix `a` from rank 0 (ignored elsewhere) in even blocks of rows. Throws
// Error(input) on every rank when it is not square or has no rows.
template <Scalar T>
BlockRows<T> dealt_out(MPI_Comm comm, matrix::Csr<T> a);

// The same matrix with rows and columns renumbered in the order of ranks and of each rank's rows, so that
// every rank's rows are consecutive. Local vectors keep their order.
template <Scalar T>
struct ConsecutiveRows {
  matrix::Csr<T> a;                      // this rank's rows
  distribution::RowPartition partition;  // which rows each rank has
  std::vector<Offset> entry;             // the caller's entry for each entry of `a`; empty: same order
  // BlockRows::number of this rank's rows; on rank 0, of all ranks' rows in rank order. Empty: none given.
  std::vector<Index> number;
};

// Collective. Throws on every rank Error(usage) when `rows` are inconsistent or do not number each row of the
// matrix once, and Error(input) when the matrix is empty or not square, or an entry is not finite. Messages
// number rows and columns of the whole matrix from 0.
template <Scalar T>
ConsecutiveRows<T> consecutive(const mpi::Communicator& comm, BlockRows<T> rows);

}  // namespace trisweep::solve
