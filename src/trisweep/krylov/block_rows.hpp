#pragma once
// Distribution of a matrix from rank 0 to blocks of rows on all ranks, and back.

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::krylov {

// Returns this rank's rows, with the columns of the whole matrix, of `a` on rank 0 (others: null).
// Collective. Throws Error(usage) on every rank when there is no matrix or it is not of the partition's size,
// and throws when any rank runs out of memory.
template <Scalar T>
matrix::Csr<T> deal_out(const mpi::Communicator& comm, const matrix::Csr<T>* a,
                        const distribution::RowPartition& partition);

// The reverse: returns the whole matrix on rank 0, an empty one elsewhere.
template <Scalar T>
matrix::Csr<T> collect(const mpi::Communicator& comm, matrix::Csr<T> rows,
                       const distribution::RowPartition& partition);

}  // namespace trisweep::krylov
