#include "trisweep/hmatrix/hmatrix.hpp"

#include <algorithm>

#include "trisweep/core/clock.hpp"
#include "trisweep/hmatrix/block_exchange.hpp"
#include "trisweep/mpi/counts.hpp"

namespace trisweep::hmatrix {
namespace {

// The row block at which each rank's rows begin, and the end of the last rank's.
std::vector<Index> row_blocks_of(const distribution::RowPartition& partition, const RowBlocks& row_blocks) {
  std::vector<Index> cut;
  for (const Index row : partition.begin)
    cut.push_back(
        static_cast<Index>(std::ranges::lower_bound(row_blocks.begin, row) - row_blocks.begin.begin()));
  return cut;
}

}  // namespace

template <Scalar T>
HMatrix<T>::HMatrix(const mpi::ParallelContext& context, CompressedBlocks<T> blocks,
                    const distribution::RowPartition* as)
    : comm_(context.comm.duplicate()), pool_(context.pool), tree_(std::move(blocks.tree)) {
  mpi::revoke_on_error(comm_, [&] { deal_out(std::move(blocks), as); });
}

template <Scalar T>
HMatrix<T>::HMatrix(const mpi::ParallelContext& context, const IntegralKernel<T>& kernel, ClusterTree tree,
                    const HMatrixOptions& options, Observer& observer)
    : HMatrix(context, compress_blocks<T>(context, kernel, std::move(tree), options, observer)) {}

template <Scalar T>
HMatrix<T>::~HMatrix() {
  if (!comm_.revoked()) return;
  whole_.release();
  parts_.release();
  for (RowsOfRanks* const rows : {&all_rows_, &own_rows_}) {
    rows->count.release();
    rows->begin.release();
  }
}

template <Scalar T>
void HMatrix<T>::deal_out(CompressedBlocks<T> blocks, const distribution::RowPartition* as) {
  const auto start = Clock::now();
  count(blocks);
  const RowBlocks& row_blocks = blocks.row_blocks;
  const std::vector<Index> cut =
      as == nullptr ? cut_row_blocks(comm_, blocks.stored, row_blocks) : row_blocks_of(*as, row_blocks);
  blocks.stored = exchange_blocks(comm_, std::move(blocks.stored), row_blocks, cut);
  mpi::agree_on_error(comm_, [&] {
    for (const Index row_block : cut) partition_.begin.push_back(row_blocks.begin[usize(row_block)]);
    const auto rank = usize(comm_.rank());
    local_ = LocalBlocks<T>(blocks.stored, row_blocks, cut[rank], cut[rank + 1]);
    const Index own = local_rows();
    all_rows_ = rows_of_ranks(
        [&](Index r) { return std::pair(Offset{partition_.count(r)}, Offset{partition_.first(r)}); });
    own_rows_ = rows_of_ranks([&](Index r) { return std::pair(Offset{own}, Offset{own} * r); });
  });
  count_local();
  statistics_.assembly_seconds = blocks.seconds + comm_.max(seconds_since(start));
}

// Counts blocks before those that several ranks share are copied to each of them.
template <Scalar T>
void HMatrix<T>::count(const CompressedBlocks<T>& blocks) {
  std::vector<double> sums(3);
  Offset max_rank = 0;
  for (const StoredBlock& block : blocks.stored) {
    const bool low_rank = block.rank != StoredBlock::dense;
    sums[low_rank ? 0 : 1] += 1;
    sums[2] += low_rank ? block.rank : 0;
    max_rank = std::max(max_rank, Offset{block.rank});
  }
  comm_.sum(sums);
  statistics_.low_rank_blocks = static_cast<Offset>(sums[0]);
  statistics_.dense_blocks = static_cast<Offset>(sums[1]);
  statistics_.mean_rank = sums[0] == 0 ? 0 : sums[2] / sums[0];
  statistics_.max_rank = static_cast<Index>(comm_.max(max_rank));
  std::vector<double> of_rank(usize(statistics_.max_rank) + 1);
  for (const StoredBlock& block : blocks.stored)
    if (block.rank != StoredBlock::dense) of_rank[usize(block.rank)] += 1;
  comm_.sum(of_rank);
  for (const double count : of_rank) statistics_.blocks_of_rank.push_back(static_cast<Offset>(count));
}

template <Scalar T>
void HMatrix<T>::count_local() {
  const auto bytes = static_cast<Offset>(local_.bytes());
  statistics_.bytes = static_cast<Offset>(comm_.sum(double(bytes)));
  statistics_.bytes_max = comm_.max(bytes);
  if (statistics_.bytes > 0)
    statistics_.bytes_balance = double(statistics_.bytes_max) * comm_.size() / double(statistics_.bytes);
  statistics_.stored_values = static_cast<Offset>(comm_.sum(double(local_.numbers())));
}

template <Scalar T>
void HMatrix<T>::reserve(Index nrhs) {
  if (nrhs <= nrhs_) return;
  mpi::agree_on_error(comm_, [&] {
    const std::size_t columns = usize(nrhs);
    local_.reserve(nrhs);
    whole_ = zeros<T>(columns * usize(tree_.size()), "the gathered vectors");
    parts_ = zeros<T>(usize(local_rows()) * usize(comm_.size()), "parts of a transposed product");
    own_ = zeros<T>(usize(local_rows()) * columns, "rows of vectors");
  });
  nrhs_ = nrhs;
}

template <Scalar T>
template <class RowsOf>
auto HMatrix<T>::rows_of_ranks(const RowsOf& rows_of) const -> RowsOfRanks {
  constexpr const char* what = "parts of vectors";
  RowsOfRanks rows{Buffer<int>(usize(comm_.size()), what), Buffer<int>(usize(comm_.size()), what)};
  for (Index r = 0; r < comm_.size(); ++r) {
    const auto [count, begin] = rows_of(r);
    rows.count[usize(r)] = mpi::counted(count);
    rows.begin[usize(r)] = mpi::counted(begin);
  }
  return rows;
}

// Gathers all rows of x into whole_, which is also the source: after a wait that is given up, MPI may still
// read what it sends.
template <Scalar T>
void HMatrix<T>::begin_gather(Vectors<const T> x) {
  gathers_.assign(usize(x.cols), MPI_REQUEST_NULL);
  if (is_there(x)) return;
  const mpi::RowType row(sizeof(T));
  for (Index c = 0; c < x.cols; ++c) {
    T* const whole = whole_.data() + usize(c) * usize(tree_.size());
    T* const own = whole + all_rows_.begin[usize(comm_.rank())];
    if (x.space == MemorySpace::device)
      product_->copy(x.column(c), own, usize(x.rows));
    else
      std::copy_n(x.column(c), x.rows, own);
    mpi::check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, whole, all_rows_.count.data(),
                               all_rows_.begin.data(), row.get(), comm_.handle(), &gathers_[usize(c)]),
               "MPI_Iallgatherv");
  }
}

template <Scalar T>
void HMatrix<T>::end_gather() {
  for (MPI_Request& gather : gathers_) comm_.finish(gather);
}

// y = the sum of the parts of its rows from every rank, in rank order; this rank's parts of all rows are in
// whole_.
template <Scalar T>
void HMatrix<T>::sum_parts(Index column, Vectors<T> y) {
  const mpi::RowType row(sizeof(T));
  MPI_Request request;
  mpi::check(MPI_Ialltoallv(whole_.data() + usize(column) * usize(tree_.size()), all_rows_.count.data(),
                            all_rows_.begin.data(), row.get(), parts_.data(), own_rows_.count.data(),
                            own_rows_.begin.data(), row.get(), comm_.handle(), &request),
             "MPI_Ialltoallv");
  comm_.finish(request);
  T* const sum = y.column(column);
  std::copy_n(parts_.data(), y.rows, sum);
  for (Index r = 1; r < comm_.size(); ++r) {
    const T* const part = parts_.data() + usize(r) * usize(y.rows);
    for (Index i = 0; i < y.rows; ++i) sum[i] += part[i];
  }
}

template <Scalar T>
void HMatrix<T>::use_device(backend::Device device) {
  use_product([&](const device::GemvTasks& tasks, ThreadPool& pool) {
    return device == backend::Device::native ? nullptr : product_on<T>(device, tasks, pool);
  });
}

template <Scalar T>
void HMatrix<T>::use_product(const ProductMaker& make) {
  mpi::revoke_on_error(comm_, [&] {
    product_ = mpi::agree_on_error(comm_, [&] { return make(local_.device_tasks(), pool_); });
  });
}

template <Scalar T>
void HMatrix<T>::record_gather(double begin, double end) const {
  recorder_->record({.kind = engine::TraceKind::gather,
                     .thread = static_cast<Index>(pool_.size()),
                     .subject = -1,
                     .peer = -1,
                     .begin = begin,
                     .end = end});
}

template <Scalar T>
void HMatrix<T>::multiply_gathered(Vectors<const T> x, Vectors<T> y, const std::function<void()>& between) {
  const engine::Span span(recorder_, engine::TraceKind::products, 0);
  const Vectors<const T> whole = is_there(x) ? x : Vectors<const T>(whole_.data(), tree_.size(), x.cols);
  if (product_ != nullptr) {
    product_->multiply(whole, y);
  } else {
    local_.multiply(whole, y, pool_, between);
  }
}

template <Scalar T>
void HMatrix<T>::multiply_transposed(Op op, Vectors<const T> x, Vectors<T> y) {
  const auto conjugate_all = [](Vectors<const T> from, Vectors<T> to) {
    for (Index c = 0; c < from.cols; ++c)
      std::transform(from.column(c), from.column(c) + from.rows, to.column(c), conjugate<T>);
  };
  const bool conjugated = op == Op::conjugate_transpose && is_complex<T>;
  const Vectors<T> copy(own_.data(), x.rows, x.cols);
  if (conjugated) conjugate_all(x, copy);
  local_.multiply_transposed(conjugated ? Vectors<const T>(copy) : x, {whole_.data(), tree_.size(), x.cols},
                             pool_);
  for (Index c = 0; c < x.cols; ++c) sum_parts(c, y);
  if (conjugated) conjugate_all(y, y);
}

template <Scalar T>
void HMatrix<T>::apply(Op op, Vectors<const T> x, Vectors<T> y) {
  mpi::revoke_on_error(comm_, [&] {
    require_apart<T>(x, y, local_rows(), op == Op::none && reaches_device());
    if (x.cols > nrhs_) reserve(x.cols);
    if (op != Op::none) return multiply_transposed(op, x, y);
    const double begin = recorder_ == nullptr ? 0 : recorder_->now();
    begin_gather(x);
    end_gather();
    if (recorder_ != nullptr) record_gather(begin, recorder_->now());
    multiply_gathered(x, y, [] {});
  });
}

template <Scalar T>
void HMatrix<T>::operator()(Vectors<const T> x, Vectors<T> y, const krylov::Meanwhile& work) {
  mpi::revoke_on_error(comm_, [&] {
    require_apart<T>(x, y, local_rows(), reaches_device());
    if (x.cols > nrhs_) reserve(x.cols);
    double begin = 0, end = 0;  // of the gathers, as seen by poll()
    if (recorder_ != nullptr) begin = recorder_->now();
    begin_gather(x);
    const auto poll = [&] {
      int done = 0;
      mpi::check(MPI_Testall(static_cast<int>(gathers_.size()), gathers_.data(), &done, MPI_STATUSES_IGNORE),
                 "MPI_Testall");
      if (recorder_ != nullptr && done != 0 && end == 0) end = recorder_->now();
    };
    {
      const engine::Span span(recorder_, engine::TraceKind::vectors, 0);
      work(poll);
    }
    end_gather();
    if (recorder_ != nullptr) record_gather(begin, end == 0 ? recorder_->now() : end);
    // The messages of `work` make progress between row blocks.
    multiply_gathered(x, y, [&] { comm_.progress(); });
  });
}

#define INSTANTIATE(T) template class HMatrix<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
