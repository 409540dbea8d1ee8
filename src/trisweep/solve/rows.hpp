#pragma once
// Whole vectors on rank 0, and their distribution by rows.

#include <span>
#include <vector>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {

// Collective. Returns this rank's rows, column-major without padding, of the vectors `whole` on rank 0 (read
// there only).
template <Scalar T>
std::vector<T> scatter_rows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                            const matrix::Dense<T>& whole);

// Collective. The reverse: returns all rows on rank 0, an empty result elsewhere.
template <Scalar T>
matrix::Dense<T> gather_rows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                             std::span<const T> rows, Index nrhs);

}  // namespace trisweep::solve
