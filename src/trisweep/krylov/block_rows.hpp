#pragma once
// A matrix by blocks of rows, one of each rank, between there and rank 0.

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::krylov {

// This rank's rows, with the columns of the whole matrix, of `a` on rank 0 (others: null). Collective. Throws
// Error(usage) on every rank when there is none or it is not of the partition's size, and when any runs out
// of memory.
template <Scalar T>
matrix::Csr<T> deal_out(const mpi::Communicator& comm, const matrix::Csr<T>* a,
                        const distribution::RowPartition& partition);

// The reverse: the whole matrix on rank 0, an empty one elsewhere.
template <Scalar T>
matrix::Csr<T> collect(const mpi::Communicator& comm, matrix::Csr<T> rows,
                       const distribution::RowPartition& partition);

}  // namespace trisweep::krylov
