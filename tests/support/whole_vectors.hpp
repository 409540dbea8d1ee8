#pragma once
// Whole vectors on rank 0, and their distribution by rows. Collective.

#include <vector>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/mpi/rows.hpp"

namespace trisweep::testing_support {

// This rank's rows, column-major without padding, of the vectors `whole` on rank 0 (read there only).
template <Scalar T>
std::vector<T> scatter_rows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                            const matrix::Dense<T>& whole) {
  Index columns = whole.cols;
  comm.broadcast(columns);
  const std::size_t rows = usize(partition.count(comm.rank()));
  auto mine = mpi::agree_on_error(comm, [&] { return std::vector<T>(rows * usize(columns)); });
  for (std::size_t c = 0; c < usize(columns); ++c)
    mpi::scatter(comm, whole.value.data() + c * usize(whole.rows), partition.begin,
                 std::span(mine).subspan(c * rows, rows));
  return mine;
}

// The reverse: all rows on rank 0, an empty result elsewhere.
template <Scalar T>
matrix::Dense<T> gather_rows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                             std::span<const T> rows, Index nrhs) {
  auto whole = mpi::agree_on_error(comm, [&]() -> matrix::Dense<T> {
    if (comm.rank() != 0) return {};
    const std::size_t values = usize(partition.rows()) * usize(nrhs);
    return {.rows = partition.rows(), .cols = nrhs, .value = std::vector<T>(values)};
  });
  const std::size_t own = usize(partition.count(comm.rank()));
  for (std::size_t c = 0; c < usize(nrhs); ++c)
    mpi::gather(comm, rows.subspan(c * own, own), partition.begin,
                whole.value.data() + c * usize(whole.rows));
  return whole;
}

}  // namespace trisweep::testing_support
