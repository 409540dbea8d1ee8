#include "sparse_solve.hpp"

#include <algorithm>

namespace trisweep::cli {
namespace {

// Largest fraction of nonzero entries in right-hand sides that are treated as sparse.
constexpr double most_of_sparse = 0.01;

}  // namespace

WantedRows::WantedRows(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                       std::vector<Index> rows)
    : all_(std::move(rows)) {
  comm.broadcast(all_);
  mpi::agree_on_error(comm, [&] {
    for (const Index row : all_) {
      rank_.push_back(partition.owner(row));
      if (rank_.back() == comm.rank()) local_.push_back(row - partition.first(comm.rank()));
    }
  });
}

template <Scalar T>
matrix::Dense<T> WantedRows::gather(const mpi::Communicator& comm, const std::vector<T>& x,
                                    Index nrhs) const {
  const auto parts = comm.gather(x);
  return mpi::agree_on_error(comm, [&]() -> matrix::Dense<T> {
    if (comm.rank() != 0) return {};
    matrix::Dense<T> whole{count(), nrhs, std::vector<T>(usize(count()) * usize(nrhs))};
    std::vector<std::size_t> next(parts.size());  // row of each rank's part
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto& part = parts[usize(rank_[i])];
      const std::size_t row = next[usize(rank_[i])]++, height = part.size() / usize(nrhs);
      for (std::size_t c = 0; c < usize(nrhs); ++c) whole.value[c * all_.size() + i] = part[c * height + row];
    }
    return whole;
  });
}

template <Scalar T>
SparseRightHandSides<T>::SparseRightHandSides(const mpi::Communicator& comm, Vectors<const T> b) {
  mpi::agree_on_error(comm, [&] {
    ptr_.push_back(0);
    for (Index c = 0; c < b.cols; ++c) {
      for (Index i = 0; i < b.rows; ++i) {
        if (b.column(c)[i] == T{}) continue;
        row_.push_back(i);
        value_.push_back(b.column(c)[i]);
      }
      ptr_.push_back(std::ssize(row_));
    }
  });
  const double entries = comm.sum(double(b.rows) * double(b.cols));
  pays_ = comm.sum(double(row_.size())) <= most_of_sparse * entries;
}

#define INSTANTIATE(T)                                                                                 \
  template matrix::Dense<T> WantedRows::gather(const mpi::Communicator&, const std::vector<T>&, Index) \
      const;                                                                                           \
  template class SparseRightHandSides<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
