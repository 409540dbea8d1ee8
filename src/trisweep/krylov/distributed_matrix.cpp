#include "trisweep/krylov/distributed_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <iterator>
#include <utility>

#include "trisweep/kernels/sparse_product.hpp"
#include "trisweep/krylov/block_rows.hpp"
#include "trisweep/krylov/bundle.hpp"

namespace trisweep::krylov {
namespace {

// Rows of a product that are used before the next are made: they stay in the cache.
constexpr std::size_t rows_at_once = 128;

// The part's rows of `a`.
template <Scalar T>
kernels::SparseRows<T> sparse_rows(const matrix::Csr<T>& a, Crew::Part part, bool conjugate = false) {
  return {.row_ptr = a.pattern.row_ptr.data() + part.begin,
          .col = a.pattern.col.data(),
          .value = a.value.data(),
          .rows = static_cast<Index>(part.end - part.begin),
          .conjugate = conjugate};
}

template <Scalar T>
void multiply(const kernels::SparseRows<T>& a, Index width, const T* x, T* product) {
  width == 1 ? kernels::sparse_product(a, x, product) : kernels::sparse_product_of_bundle(a, x, product);
}

template <Scalar T>
void multiply_magnitudes(const kernels::SparseRows<T>& a, Index width, const T* x, T* product) {
  width == 1 ? kernels::sparse_magnitudes(a, x, product)
             : kernels::sparse_magnitudes_of_bundle(a, x, product);
}

// |b| + the magnitude that a kernel has left in a real number.
template <Scalar T>
RealOf<T> add_magnitude(const T& b, const T& magnitude) {
  if constexpr (is_complex<T>) {
    return std::abs(b.real()) + std::abs(b.imag()) + magnitude.real();
  } else {
    return std::abs(b) + magnitude;
  }
}

}  // namespace

template <Scalar T>
DistributedMatrix<T>::DistributedMatrix(MPI_Comm comm, matrix::Csr<T> rows,
                                        const distribution::RowPartition& partition,
                                        const transport::Limits& limits)
    : comm_(comm, limits), local_(std::move(rows)) {
  transport::collectively(comm_, [&] {
    partition_ = partition;
    if (local_.rows() != partition.count(comm_.rank()) || local_.cols() != partition.rows())
      throw Error(ErrorKind::usage, "the rows of the matrix are not those of its partition");
    ghosts_ = number_ghosts();
  });
  halo_ = Halo<T>(comm_, partition_, ghosts_);
  measure_norms();
}

template <Scalar T>
DistributedMatrix<T>::DistributedMatrix(MPI_Comm comm, const matrix::Csr<T>* a,
                                        const distribution::RowPartition& partition,
                                        const transport::Limits& limits)
    : DistributedMatrix(comm, deal_out(transport::Communicator(comm, limits), a, partition), partition,
                        limits) {}

template <Scalar T>
DistributedMatrix<T>::~DistributedMatrix() {
  if (!comm_.abandoned()) return;
  extended_.release();
  halo_.release();
}

template <Scalar T>
void DistributedMatrix<T>::measure_norms() {
  prepare(Op::none, 1);
  double most = 0;
  std::fill_n(extended_.data(), usize(local_.cols()), T{});
  for (Index i = 0; i < local_.rows(); ++i) {
    double row = 0;
    for (Offset at = local_.pattern.row_ptr[usize(i)]; at < local_.pattern.row_ptr[usize(i) + 1]; ++at) {
      const RealOf<T> magnitude = std::abs(local_.value[usize(at)]);
      row += double(magnitude);
      extended_.data()[local_.pattern.col[usize(at)]] += magnitude;
    }
    most = std::max(most, row);
  }
  norm_inf_ = comm_.max(most);
  halo_.exchange(comm_, true, extended_.data(), 1);
  most = 0;
  for (Index j = 0; j < local_.rows(); ++j) most = std::max(most, double(std::real(extended_.data()[j])));
  norm_one_ = comm_.max(most);
}

template <Scalar T>
void DistributedMatrix<T>::replace_values(std::span<const T> values) {
  transport::collectively(comm_, [&] {
    if (values.size() != local_.value.size()) {
      throw Error(ErrorKind::usage, fmt::format("{} values for the {} entries of this rank's rows",
                                                values.size(), local_.value.size()));
    }
    std::copy(values.begin(), values.end(), local_.value.begin());
    if (transposed_) transposed_ = matrix::transpose(local_);
  });
  measure_norms();
}

template <Scalar T>
const matrix::Csr<T>& DistributedMatrix<T>::whole(matrix::Csr<T>& room) const {
  if (comm_.size() == 1) return local_;
  auto rows = transport::collectively(comm_, [&] {
    matrix::Csr<T> own = local_;
    own.pattern.cols = partition_.rows();
    const Index count = local_.rows(), first = partition_.first(comm_.rank());
    for (Index& j : own.pattern.col) j = j < count ? j + first : ghosts_[usize(j - count)];
    return own;
  });
  room = collect(comm_, std::move(rows), partition_);
  return room;
}

// Columns become those of local_; returns which others they were, in order.
template <Scalar T>
std::vector<Index> DistributedMatrix<T>::number_ghosts() {
  const Index first = partition_.first(comm_.rank()), count = partition_.count(comm_.rank());
  const auto own = [&](Index j) { return first <= j && j < first + count; };
  std::vector<Index> ghosts;
  std::copy_if(local_.pattern.col.begin(), local_.pattern.col.end(), std::back_inserter(ghosts),
               [&](Index j) { return !own(j); });
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  for (Index& j : local_.pattern.col) {
    j = own(j)
            ? j - first
            : count + static_cast<Index>(std::lower_bound(ghosts.begin(), ghosts.end(), j) - ghosts.begin());
  }
  local_.pattern.cols = count + static_cast<Index>(ghosts.size());
  return ghosts;
}

// Whether there is something to prepare is the same on all ranks, after one has failed, too.
template <Scalar T>
void DistributedMatrix<T>::prepare(Op op, Index nrhs) {
  const Index width = bundle_width<T>(nrhs);
  const bool transposes = op != Op::none && !transposed_;
  if (width <= width_ && !transposes) return;
  const Index widest = std::max(width, width_);
  std::optional<matrix::Csr<T>> transposed;
  transport::collectively(comm_, [&] {
    constexpr const char* what = "the vectors of a product";
    const auto fit = [&](std::size_t rows) { return zeros<T>(rows * usize(widest), what); };
    if (transposes) transposed = matrix::transpose(local_);
    if (transposes || transposed_) own_ = fit(usize(local_.rows()));
    extended_ = fit(usize(local_.cols()));
    halo_.reserve(widest);
  });
  if (transposes) transposed_ = std::move(transposed);
  width_ = widest;
}

template <Scalar T>
template <class Join>
void DistributedMatrix<T>::multiply_rows(const Operands& v, Index width, Crew& crew, const Join& join) {
  const std::size_t rows = usize(local_.rows());
  crew.run([&](int thread) { to_rows(v.x, crew.part(thread, rows, rows_at_once), width, extended_.data()); });
  halo_.exchange(comm_, false, extended_.data(), width);
  crew.run([&](int thread) {
    const Crew::Part mine = crew.part(thread, rows, rows_at_once);
    T product[rows_at_once * kernels::line_rows<T>];
    for (std::size_t i = mine.begin; i < mine.end; i += rows_at_once) {
      const Crew::Part part{i, std::min(i + rows_at_once, mine.end)};
      const auto a = sparse_rows(local_, part);
      multiply(a, width, extended_.data(), product);
      join_rows(v.b, product, part, width, v.y, join);
      if (v.magnitude.data == nullptr) continue;
      multiply_magnitudes(a, width, extended_.data(), product);
      join_rows(v.b, product, part, width, v.magnitude, add_magnitude<T>);
    }
  });
}

// Products of a rank's columns go to the ranks that have their rows.
template <Scalar T>
template <class Join>
void DistributedMatrix<T>::multiply_columns(Op op, const Operands& v, Index width, Crew& crew,
                                            const Join& join) {
  const auto by_parts = [&](std::size_t size, std::size_t multiple, const auto& work) {
    crew.run([&](int thread) { work(crew.part(thread, size, multiple)); });
  };
  const std::size_t rows = usize(local_.rows());
  const auto product = [&](Crew::Part mine) { return extended_.data() + mine.begin * usize(width); };
  const auto multiply_and_join = [&](const auto& multiply_part, auto to, const auto& joined) {
    by_parts(usize(local_.cols()), 1, [&](Crew::Part mine) {
      const auto a = sparse_rows(*transposed_, mine, op == Op::conjugate_transpose);
      multiply_part(a, width, own_.data(), product(mine));
    });
    halo_.exchange(comm_, true, extended_.data(), width);
    by_parts(rows, rows_at_once,
             [&](Crew::Part mine) { join_rows(v.b, product(mine), mine, width, to, joined); });
  };
  by_parts(rows, rows_at_once, [&](Crew::Part mine) { to_rows(v.x, mine, width, own_.data()); });
  multiply_and_join(multiply<T>, v.y, join);
  if (v.magnitude.data != nullptr) multiply_and_join(multiply_magnitudes<T>, v.magnitude, add_magnitude<T>);
}

template <Scalar T>
template <class Join>
void DistributedMatrix<T>::multiply_in_bundles(Op op, const Operands& v, Crew& crew, const Join& join) {
  transport::together(comm_, [&] {
    require_fit<T>(v.b, v.x, local_.rows());
    require_fit<T>(v.b, v.y, local_.rows());
    prepare(op, v.b.cols);
    const Index width = bundle_width<T>(v.b.cols);
    for (Index c = 0; c < v.b.cols; c += width) {
      const Index count = std::min(width, v.b.cols - c);
      const Operands bundle{v.x.columns(c, count), v.b.columns(c, count), v.y.columns(c, count),
                            v.magnitude.data == nullptr ? v.magnitude : v.magnitude.columns(c, count)};
      if (op == Op::none) {
        multiply_rows(bundle, width, crew, join);
      } else {
        multiply_columns(op, bundle, width, crew, join);
      }
    }
  });
}

template <Scalar T>
void DistributedMatrix<T>::residual(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r, Crew& crew,
                                    Vectors<RealOf<T>> magnitude) {
  multiply_in_bundles(op, {x, b, r, magnitude}, crew, std::minus<>{});
}

template <Scalar T>
void DistributedMatrix<T>::apply(Op op, Vectors<const T> x, Vectors<T> y, Crew& crew) {
  multiply_in_bundles(op, {x, x, y, {}}, crew, [](const T&, const T& product) { return product; });
}

#define INSTANTIATE(T) template class DistributedMatrix<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
