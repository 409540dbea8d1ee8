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

}  // namespace

template <Scalar T>
std::vector<T> scatter_rows(const transport::Communicator& comm, const RowPartition& partition,
                            const matrix::Dense<T>& whole) {
  Index columns = whole.cols;
  comm.broadcast(columns);
  const auto packed = [&](Index rank) {
    const Index count = partition.count(rank);
    std::vector<T> rows(usize(count) * usize(columns));
    RowBlock<const T>{whole.value.data(), whole.rows, partition.first(rank), count, columns}.for_each_column(
        [&](const T* column, std::size_t at) { std::copy_n(column, count, rows.data() + at); });
    return rows;
  };
  if (comm.rank() == 0) {
    for (Index r = 1; r < comm.size(); ++r) {
      const auto rows = packed(r);
      comm.send_bytes(rows.data(), rows.size() * sizeof(T), r, tag_columns);
    }
    return packed(0);
  }
  std::vector<T> rows(usize(partition.count(comm.rank())) * usize(columns));
  comm.receive_bytes(rows.data(), rows.size() * sizeof(T), 0, tag_columns);
  return rows;
}

template <Scalar T>
matrix::Dense<T> gather_rows(const transport::Communicator& comm, const RowPartition& partition,
                             const std::vector<T>& rows, Index nrhs) {
  if (comm.rank() != 0) {
    comm.send_bytes(rows.data(), rows.size() * sizeof(T), 0, tag_columns);
    return {};
  }
  matrix::Dense<T> whole{.rows = partition.rows(), .cols = nrhs, .value = {}};
  whole.value.resize(usize(whole.rows) * usize(nrhs));
  for (Index r = 0; r < comm.size(); ++r) {
    const Index count = partition.count(r);
    std::vector<T> theirs(r == 0 ? 0 : usize(count) * usize(nrhs));
    if (r != 0) comm.receive_bytes(theirs.data(), theirs.size() * sizeof(T), r, tag_columns);
    const T* from = r == 0 ? rows.data() : theirs.data();
    RowBlock<T>{whole.value.data(), whole.rows, partition.first(r), count, nrhs}.for_each_column(
        [&](T* column, std::size_t at) { std::copy_n(from + at, count, column); });
  }
  return whole;
}

#define INSTANTIATE(T)                                                                       \
  template std::vector<T> scatter_rows(const transport::Communicator&, const RowPartition&,  \
                                       const matrix::Dense<T>&);                             \
  template matrix::Dense<T> gather_rows(const transport::Communicator&, const RowPartition&, \
                                        const std::vector<T>&, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
