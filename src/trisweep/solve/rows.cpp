#include "trisweep/solve/rows.hpp"

#include <algorithm>

namespace trisweep::solve {
namespace {

constexpr int tag_columns = 2;

// Rows [first, first + count) of every column, one after another.
template <class Value>
struct RowBlock {
  Value* data;
  Index ld, first, count, columns;

  template <class Visit>  // visit(column of the block, position in a packed block)
  void for_each_column(Visit&& visit) const {
    for (Index c = 0; c < columns; ++c) visit(data + usize(c) * usize(ld) + first, usize(c) * usize(count));
  }
};

template <class Size>
std::size_t largest(const Size& size, Index ranks) {
  std::size_t most = 0;
  for (Index r = 0; r < ranks; ++r) most = std::max(most, size(r));
  return most;
}

}  // namespace

template <Scalar T>
std::vector<T> scatter_rows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                            const matrix::Dense<T>& whole) {
  Index columns = whole.cols;
  comm.broadcast(columns);
  const auto size = [&](Index rank) { return usize(partition.count(rank)) * usize(columns); };
  std::vector<T> mine, packed;  // packed: on rank 0, for one rank after the other
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() == 0) packed.resize(largest(size, comm.size()));
    mine.resize(size(comm.rank()));
  });
  const auto pack = [&](Index rank, T* to) {
    const Index count = partition.count(rank);
    RowBlock<const T>{whole.value.data(), whole.rows, partition.first(rank), count, columns}.for_each_column(
        [&](const T* column, std::size_t at) { std::copy_n(column, count, to + at); });
  };
  if (comm.rank() != 0) {
    comm.receive_bytes(mine.data(), mine.size() * sizeof(T), 0, tag_columns);
    return mine;
  }
  for (Index r = 1; r < comm.size(); ++r) {
    pack(r, packed.data());
    comm.send_bytes(packed.data(), size(r) * sizeof(T), r, tag_columns);
  }
  pack(0, mine.data());
  return mine;
}

template <Scalar T>
matrix::Dense<T> gather_rows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                             const std::vector<T>& rows, Index nrhs) {
  const auto size = [&](Index rank) { return usize(partition.count(rank)) * usize(nrhs); };
  matrix::Dense<T> whole;
  std::vector<T> packed;
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() != 0) return;
    whole = {.rows = partition.rows(), .cols = nrhs, .value = {}};
    whole.value.resize(usize(whole.rows) * usize(nrhs));
    packed.resize(largest(size, comm.size()));
  });
  if (comm.rank() != 0) {
    comm.send_bytes(rows.data(), rows.size() * sizeof(T), 0, tag_columns);
    return whole;
  }
  for (Index r = 0; r < comm.size(); ++r) {
    const Index count = partition.count(r);
    if (r != 0) comm.receive_bytes(packed.data(), size(r) * sizeof(T), r, tag_columns);
    const T* from = r == 0 ? rows.data() : packed.data();
    RowBlock<T>{whole.value.data(), whole.rows, partition.first(r), count, nrhs}.for_each_column(
        [&](T* column, std::size_t at) { std::copy_n(from + at, count, column); });
  }
  return whole;
}

#define INSTANTIATE(T)                                                                               \
  template std::vector<T> scatter_rows(const mpi::Communicator&, const distribution::RowPartition&,  \
                                       const matrix::Dense<T>&);                                     \
  template matrix::Dense<T> gather_rows(const mpi::Communicator&, const distribution::RowPartition&, \
                                        const std::vector<T>&, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
