#include "trisweep/krylov/block_rows.hpp"

#include <fmt/format.h>

#include "trisweep/mpi/rows.hpp"

namespace trisweep::krylov {
namespace {

void check_matrix(bool there, Index rows, Index cols, const distribution::RowPartition& partition) {
  if (!there)
    throw Error(ErrorKind::usage, "rank 0 has no matrix to distribute", "pass the matrix on rank 0");
  if (rows == partition.rows() && cols == partition.rows()) return;
  throw Error(ErrorKind::usage,
              fmt::format("the matrix has {} rows and {} columns, but vectors have {} rows", rows, cols,
                          partition.rows()),
              "pass the matrix that was factored");
}

}  // namespace

template <Scalar T>
matrix::Csr<T> deal_out(const mpi::Communicator& comm, const matrix::Csr<T>* a,
                        const distribution::RowPartition& partition) {
  const Index me = comm.rank();
  std::vector<Offset> begin;  // first entry of each rank's rows
  mpi::agree_on_error(comm, [&] {
    if (static_cast<Index>(partition.begin.size()) != comm.size() + 1)
      throw Error(ErrorKind::usage, "the row partition is for another number of ranks");
    if (me != 0) return;
    check_matrix(a != nullptr, a ? a->rows() : 0, a ? a->cols() : 0, partition);
    for (const Index row : partition.begin) begin.push_back(a->pattern.row_ptr[usize(row)]);
  });
  comm.broadcast(begin);
  auto mine = mpi::agree_on_error(comm, [&] {
    matrix::Csr<T> rows;
    rows.pattern.rows = partition.count(me);
    rows.pattern.cols = partition.rows();
    rows.pattern.row_ptr.resize(usize(rows.rows()) + 1);
    rows.pattern.col.resize(usize(begin[usize(me) + 1] - begin[usize(me)]));
    rows.value.resize(rows.pattern.col.size());
    return rows;
  });
  auto& ptr = mine.pattern.row_ptr;
  const bool whole = me == 0;
  mpi::scatter(comm, whole ? a->pattern.row_ptr.data() : nullptr, partition.begin,
               std::span(ptr).first(ptr.size() - 1));
  mpi::scatter<Index>(comm, whole ? a->pattern.col.data() : nullptr, begin, mine.pattern.col);
  mpi::scatter<T>(comm, whole ? a->value.data() : nullptr, begin, mine.value);
  ptr.back() = begin[usize(me) + 1];
  for (Offset& row_begin : ptr) row_begin -= begin[usize(me)];
  return mine;
}

template <Scalar T>
matrix::Csr<T> collect(const mpi::Communicator& comm, matrix::Csr<T> rows,
                       const distribution::RowPartition& partition) {
  if (comm.size() == 1) return rows;
  const std::vector<Offset> entries = comm.gather(rows.nonzeros());
  std::vector<Offset> begin;  // as above, on rank 0
  auto whole = mpi::agree_on_error(comm, [&] {
    matrix::Csr<T> a;
    if (comm.rank() != 0) return a;
    begin.push_back(0);
    for (const Offset n : entries) begin.push_back(begin.back() + n);
    a.pattern.rows = a.pattern.cols = partition.rows();
    a.pattern.row_ptr.resize(usize(partition.rows()) + 1);
    a.pattern.col.resize(usize(begin.back()));
    a.value.resize(usize(begin.back()));
    return a;
  });
  auto& ptr = whole.pattern.row_ptr;
  mpi::gather(comm, std::span<const Offset>(rows.pattern.row_ptr).first(usize(rows.rows())), partition.begin,
              ptr.data());
  mpi::gather<Index>(comm, rows.pattern.col, begin, whole.pattern.col.data());
  mpi::gather<T>(comm, rows.value, begin, whole.value.data());
  if (comm.rank() != 0) return whole;
  for (Index r = 0; r < comm.size(); ++r)
    for (Index i = partition.first(r); i < partition.first(r + 1); ++i) ptr[usize(i)] += begin[usize(r)];
  ptr.back() = begin.back();
  return whole;
}

#define INSTANTIATE(T)                                                              \
  template matrix::Csr<T> deal_out(const mpi::Communicator&, const matrix::Csr<T>*, \
                                   const distribution::RowPartition&);              \
  template matrix::Csr<T> collect(const mpi::Communicator&, matrix::Csr<T>,         \
                                  const distribution::RowPartition&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
