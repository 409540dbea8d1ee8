#include "trisweep/krylov/block_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trisweep::krylov {
namespace {

constexpr int tag_rows = 5;

void check_matrix(bool there, Index rows, Index cols, const distribution::RowPartition& partition) {
  if (!there)
    throw Error(ErrorKind::usage, "rank 0 has no matrix to distribute", "pass the matrix on rank 0");
  if (rows == partition.rows() && cols == partition.rows()) return;
  throw Error(ErrorKind::usage,
              fmt::format("the matrix has {} rows and {} columns, but vectors have {} rows", rows, cols,
                          partition.rows()),
              "pass the matrix that was factored");
}

template <class V>
std::size_t byte_size(const std::vector<V>& v) {
  return v.size() * sizeof(V);
}

// A rank's part of a list of rank 0: sent, or copied if it is rank 0's own.
template <class V>
void deal_out_list(const mpi::Communicator& comm, const V* part, std::size_t size, Index to,
                   std::vector<V>& own) {
  if (to == 0) {
    std::copy_n(part, size, own.begin());
  } else {
    comm.send_bytes(part, size * sizeof(V), to, tag_rows);
  }
}

// The other way round: received, or copied.
template <class V>
void collect_list(const mpi::Communicator& comm, const std::vector<V>& own, std::size_t skipped, Index from,
                  V* part, std::size_t size) {
  if (from == 0) {
    std::copy_n(own.begin() + std::ptrdiff_t(skipped), size, part);
  } else {
    comm.receive_bytes(part, size * sizeof(V), from, tag_rows);
  }
}

}  // namespace

// Sent from where they are: a rank makes row pointers of its own from those of the whole matrix.
template <Scalar T>
matrix::Csr<T> deal_out(const mpi::Communicator& comm, const matrix::Csr<T>* a,
                        const distribution::RowPartition& partition) {
  const Index me = comm.rank(), ranks = me == 0 ? comm.size() : 0;
  std::vector<Offset> entries;
  mpi::agree_on_error(comm, [&] {
    if (static_cast<Index>(partition.begin.size()) != comm.size() + 1)
      throw Error(ErrorKind::usage, "the row partition is for another number of ranks");
    if (me != 0) return;
    check_matrix(a != nullptr, a ? a->rows() : 0, a ? a->cols() : 0, partition);
    const auto& ptr = a->pattern.row_ptr;
    for (Index r = 0; r < ranks; ++r)
      entries.push_back(ptr[usize(partition.first(r + 1))] - ptr[usize(partition.first(r))]);
  });
  comm.broadcast(entries);
  auto mine = mpi::agree_on_error(comm, [&] {
    matrix::Csr<T> rows;
    rows.pattern.rows = partition.count(me);
    rows.pattern.cols = partition.rows();
    rows.pattern.row_ptr.resize(usize(rows.rows()) + 1);
    rows.pattern.col.resize(usize(entries[usize(me)]));
    rows.value.resize(rows.pattern.col.size());
    return rows;
  });
  auto& [rows, cols, ptr, col] = mine.pattern;
  for (Index r = 0; r < ranks; ++r) {
    const Index first = partition.first(r);
    const Offset begin = a->pattern.row_ptr[usize(first)];
    const std::size_t size = usize(entries[usize(r)]);
    deal_out_list(comm, a->pattern.row_ptr.data() + first, usize(partition.count(r)) + 1, r, ptr);
    deal_out_list(comm, a->pattern.col.data() + begin, size, r, col);
    deal_out_list(comm, a->value.data() + begin, size, r, mine.value);
  }
  if (me != 0) {
    comm.receive_bytes(ptr.data(), byte_size(ptr), 0, tag_rows);
    comm.receive_bytes(col.data(), byte_size(col), 0, tag_rows);
    comm.receive_bytes(mine.value.data(), byte_size(mine.value), 0, tag_rows);
  }
  for (auto i = ptr.rbegin(); i != ptr.rend(); ++i) *i -= ptr.front();
  return mine;
}

template <Scalar T>
matrix::Csr<T> collect(const mpi::Communicator& comm, matrix::Csr<T> rows,
                       const distribution::RowPartition& partition) {
  if (comm.size() == 1) return rows;
  const std::vector<Offset> entries = comm.gather(rows.nonzeros());
  auto whole = mpi::agree_on_error(comm, [&] {
    matrix::Csr<T> a;
    if (comm.rank() != 0) return a;
    a.pattern.rows = a.pattern.cols = partition.rows();
    a.pattern.row_ptr.resize(usize(partition.rows()) + 1);
    Offset all = 0;
    for (const Offset n : entries) all += n;
    a.pattern.col.resize(usize(all));
    a.value.resize(usize(all));
    return a;
  });
  if (comm.rank() != 0) {
    const auto& ptr = rows.pattern.row_ptr;
    comm.send_bytes(ptr.data() + 1, byte_size(ptr) - sizeof(Offset), 0, tag_rows);
    comm.send_bytes(rows.pattern.col.data(), byte_size(rows.pattern.col), 0, tag_rows);
    comm.send_bytes(rows.value.data(), byte_size(rows.value), 0, tag_rows);
    return whole;
  }
  Offset at = 0;
  for (Index r = 0; r < comm.size(); ++r) {
    const std::size_t count = usize(partition.count(r)), size = usize(entries[usize(r)]);
    Offset* const ptr = whole.pattern.row_ptr.data() + partition.first(r) + 1;
    collect_list(comm, rows.pattern.row_ptr, 1, r, ptr, count);
    std::for_each(ptr, ptr + count, [&](Offset& end) { end += at; });
    collect_list(comm, rows.pattern.col, 0, r, whole.pattern.col.data() + at, size);
    collect_list(comm, rows.value, 0, r, whole.value.data() + at, size);
    at += static_cast<Offset>(size);
  }
  return whole;
}

#define INSTANTIATE(T)                                                              \
  template matrix::Csr<T> deal_out(const mpi::Communicator&, const matrix::Csr<T>*, \
                                   const distribution::RowPartition&);              \
  template matrix::Csr<T> collect(const mpi::Communicator&, matrix::Csr<T>,         \
                                  const distribution::RowPartition&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
