#include "trisweep/solve/rows.hpp"

#include "trisweep/mpi/rows.hpp"

namespace trisweep::solve {

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

#define INSTANTIATE(T)                                                                               \
  template std::vector<T> scatter_rows(const mpi::Communicator&, const distribution::RowPartition&,  \
                                       const matrix::Dense<T>&);                                     \
  template matrix::Dense<T> gather_rows(const mpi::Communicator&, const distribution::RowPartition&, \
                                        std::span<const T>, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
