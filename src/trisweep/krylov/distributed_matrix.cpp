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
#include "trisweep/numeric/modulus.hpp"

namespace trisweep::krylov {
namespace {

// Number of entries, and of rows of a bundle, that are multiplied at a time.
template <Scalar T>
constexpr std::size_t product_entries = product_lines* usize(kernels::line_rows<T>);
template <Scalar T>
std::size_t rows_at_once(Index width) {
  return std::min(product_lines, product_entries<T> / usize(width));
}

// The part's rows of `a`.
template <Scalar T>
kernels::SparseRows<T> sparse_rows(const matrix::Csr<T>& a, ThreadPool::Part part, bool conjugate = false) {
  return {.row_ptr = a.pattern.row_ptr.data() + part.begin,
          .col = a.pattern.col.data(),
          .value = a.value.data(),
          .rows = static_cast<Index>(part.end - part.begin),
          .conjugate = conjugate};
}

// Calls store(row, plain, weighted) with the sums of |a| and |a| c over each row of the part.
template <Scalar T, class Store>
void sum_magnitudes_of_rows(const matrix::Csr<T>& a, ThreadPool::Part part, const T* weight,
                            const Store& store) {
  const Offset* const row_ptr = a.pattern.row_ptr.data();
  for (std::size_t i = part.begin; i < part.end; ++i) {
    RealOf<T> plain = 0, weighted = 0;
    for (Offset at = row_ptr[i]; at < row_ptr[i + 1]; ++at) {
      const T& v = a.value[usize(at)];
      const RealOf<T> magnitude = numeric::modulus_1(v);
      plain += magnitude;
      weighted += magnitude * std::real(weight[a.pattern.col[usize(at)]]);
    }
    store(i, plain, weighted);
  }
}

}  // namespace

template <Scalar T>
DistributedMatrix<T>::DistributedMatrix(mpi::Communicator comm, matrix::Csr<T> rows,
                                        const distribution::RowPartition& partition)
    : DistributedMatrix(std::move(comm), std::move(rows)) {
  mpi::revoke_on_error(comm_, [&] {
    mpi::agree_on_error(comm_, [&] {
      partition_ = partition;
      if (local_.rows() != partition.count(comm_.rank()) || local_.cols() != partition.rows())
        throw Error(ErrorKind::usage, "the rows of the matrix are not those of its partition");
      ghosts_ = number_ghosts();
    });
    halo_ = Halo<T>(comm_, partition_, ghosts_);
  });
}

template <Scalar T>
DistributedMatrix<T>::DistributedMatrix(const mpi::Communicator& comm, const matrix::Csr<T>* a,
                                        const distribution::RowPartition& partition)
    : DistributedMatrix(comm.share(), deal_out(comm, a, partition), partition) {}

template <Scalar T>
DistributedMatrix<T>::~DistributedMatrix() {
  if (!comm_.revoked()) return;
  extended_.release();
  magnitudes_.release();
  halo_.release();
}

template <Scalar T>
void DistributedMatrix<T>::replace_values(std::span<const T> values, RealOf<T> factor) {
  std::vector<Offset> next;  // next entry of each row of the transpose
  mpi::agree_on_error(comm_, [&] {
    if (values.size() != local_.value.size()) {
      throw Error(ErrorKind::usage, fmt::format("{} values for the {} entries of this rank's rows",
                                                values.size(), local_.value.size()));
    }
    if (transposed_) next = transposed_->pattern.row_ptr;
  });
  std::ranges::transform(values, local_.value.begin(), [&](const T& v) { return v * factor; });
  for (std::size_t at = 0; !next.empty() && at < values.size(); ++at)
    transposed_->value[usize(next[usize(local_.pattern.col[at])]++)] = local_.value[at];
}

template <Scalar T>
const matrix::Csr<T>& DistributedMatrix<T>::whole(matrix::Csr<T>& room) const {
  if (comm_.size() == 1) return local_;
  auto rows = mpi::agree_on_error(comm_, [&] {
    matrix::Csr<T> own = local_;
    own.pattern.cols = partition_.rows();
    const Index count = local_.rows(), first = partition_.first(comm_.rank());
    for (Index& j : own.pattern.col) j = j < count ? j + first : ghosts_[usize(j - count)];
    return own;
  });
  room = collect(comm_, std::move(rows), partition_);
  return room;
}

// Renumbers the columns of local_; returns the ghosts, ascending.
template <Scalar T>
std::vector<Index> DistributedMatrix<T>::number_ghosts() {
  const Index first = partition_.first(comm_.rank()), count = partition_.count(comm_.rank());
  if (count == partition_.rows()) return {};
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

// All ranks return early or none, even after a call that failed.
template <Scalar T>
void DistributedMatrix<T>::prepare(Op op, Index width) {
  const bool transposes = op != Op::none && !transposed_;
  if (width <= width_ && !transposes) return;
  const Index widest = std::max(width, width_);
  std::optional<matrix::Csr<T>> transposed;
  mpi::agree_on_error(comm_, [&] {
    constexpr const char* what = "the vectors of a product";
    const auto fit = [&](Index rows) { return zeros<T>(usize(rows) * usize(widest), what); };
    if (transposes) transposed = matrix::transpose(local_);
    if (transposes || transposed_) {
      own_ = fit(local_.rows());
      magnitudes_ = fit(local_.cols());
    }
    extended_ = fit(local_.cols());
    halo_.reserve(widest);
  });
  if (transposes) transposed_ = std::move(transposed);
  width_ = widest;
}

// Returns x row-major: in place if possible; in `room` if x is not row-major, or if (`moved`) ghosts must
// follow its rows.
template <Scalar T>
template <class V>
VectorRows<const T> DistributedMatrix<T>::in_rows(V x, Index width, bool moved, ThreadPool& pool,
                                                  Buffer<T>& room) {
  const std::size_t rows = usize(x.rows);
  if (!moved && (width == 1 || std::same_as<V, VectorRows<const T>>))
    return rows_of(x, {0, rows}, width, room.data());
  pool.run([&](int thread) { to_rows(x, pool.part(thread, rows, product_lines), width, room.data()); });
  return {room.data(), x.rows, x.cols, width};
}

template <Scalar T>
void DistributedMatrix<T>::multiply_rows(const Bundle& of, ThreadPool& pool, const VisitProduct<T>& visit) {
  const std::size_t rows = usize(local_.rows()), at_once = rows_at_once<T>(of.width);
  if (!halo_.neighbours().empty()) halo_.exchange(comm_, false, extended_.data(), of.width);
  pool.run([&](int thread) {
    const ThreadPool::Part mine = pool.part(thread, rows, at_once);
    alignas(64) T product[product_entries<T>];
    alignas(64) T magnitude[product_entries<T>];
    T* const sizes = of.magnitudes ? magnitude : nullptr;
    for (std::size_t i = mine.begin; i < mine.end; i += at_once) {
      const ThreadPool::Part part{i, std::min(i + at_once, mine.end)};
      kernels::sparse_product<T>(sparse_rows(local_, part), {of.width, of.x.data, of.x.ld, product, sizes});
      visit(thread, {of.column, of.x.cols, of.width, part, of.x.row(i), of.x.ld, product, sizes});
    }
  });
}

// Multiplies by this rank's part of the transpose, and sends the results to the ranks that own their rows.
template <Scalar T>
void DistributedMatrix<T>::multiply_columns(Op op, const Bundle& of, ThreadPool& pool,
                                            const VisitProduct<T>& visit) {
  const std::size_t rows = usize(local_.rows()), width = usize(of.width), at_once = rows_at_once<T>(of.width);
  T* const sizes = of.magnitudes ? magnitudes_.data() : nullptr;
  const auto from = [&](T* all, std::size_t row) { return all == nullptr ? nullptr : all + row * width; };
  pool.run([&](int thread) {
    const ThreadPool::Part mine = pool.part(thread, usize(local_.cols()), 1);
    kernels::sparse_product<T>(
        sparse_rows(*transposed_, mine, op == Op::conjugate_transpose),
        {of.width, of.x.data, of.x.ld, from(extended_.data(), mine.begin), from(sizes, mine.begin)});
  });
  for (T* sums : {extended_.data(), sizes})
    if (sums != nullptr) halo_.exchange(comm_, true, sums, of.width);
  pool.run([&](int thread) {
    const ThreadPool::Part mine = pool.part(thread, rows, at_once);
    for (std::size_t i = mine.begin; i < mine.end; i += at_once) {
      visit(thread, {of.column,
                     of.x.cols,
                     of.width,
                     {i, std::min(i + at_once, mine.end)},
                     of.x.row(i),
                     of.x.ld,
                     from(extended_.data(), i),
                     from(sizes, i)});
    }
  });
}

template <Scalar T>
template <class V>
void DistributedMatrix<T>::visit_bundles(Op op, V x, bool magnitudes, ThreadPool& pool,
                                         const VisitProduct<T>& visit) {
  const Index widest = bundle_width<T>(x);
  const bool has_ghosts = !halo_.neighbours().empty();
  const bool stays = std::same_as<V, VectorRows<const T>> && op == Op::none && comm_.size() == 1;
  if (!stays) prepare(op, widest);
  for (Index c = 0; c < x.cols; c += widest) {
    const V some = x.columns(c, std::min(widest, x.cols - c));
    const Index width = widest == 1 ? 1 : whole_lines<T>(some.cols);
    if (op == Op::none) {
      multiply_rows({in_rows(some, width, has_ghosts, pool, extended_), c, width, magnitudes}, pool, visit);
    } else {
      multiply_columns(op, {in_rows(some, width, false, pool, own_), c, width, magnitudes}, pool, visit);
    }
  }
}

template <Scalar T>
void DistributedMatrix<T>::visit_product(Op op, Vectors<const T> x, bool magnitudes, ThreadPool& pool,
                                         const VisitProduct<T>& visit) {
  mpi::revoke_on_error(comm_, [&] {
    require_fit<T>(x, x, local_.rows());
    visit_bundles(op, x, magnitudes, pool, visit);
  });
}

template <Scalar T>
void DistributedMatrix<T>::visit_product(Op op, VectorRows<const T> x, bool magnitudes, ThreadPool& pool,
                                         const VisitProduct<T>& visit) {
  mpi::revoke_on_error(comm_, [&] { visit_bundles(op, x, magnitudes, pool, visit); });
}

template <Scalar T>
void DistributedMatrix<T>::sum_magnitudes(Op op, std::span<const RealOf<T>> weight,
                                          std::span<RealOf<T>> plain, std::span<RealOf<T>> weighted,
                                          ThreadPool& pool) {
  mpi::revoke_on_error(comm_, [&] {
    prepare(op, 1);
    const std::size_t rows = usize(local_.rows());
    if (op == Op::none) {
      std::copy(weight.begin(), weight.end(), extended_.data());
      halo_.exchange(comm_, false, extended_.data(), 1);
      pool.run([&](int thread) {
        sum_magnitudes_of_rows(local_, pool.part(thread, rows, 1), extended_.data(),
                               [&](std::size_t i, RealOf<T> one, RealOf<T> other) {
                                 plain[i] = one;
                                 weighted[i] = other;
                               });
      });
      return;
    }
    std::copy(weight.begin(), weight.end(), own_.data());
    pool.run([&](int thread) {
      sum_magnitudes_of_rows(*transposed_, pool.part(thread, usize(local_.cols()), 1), own_.data(),
                             [&](std::size_t i, RealOf<T> one, RealOf<T> other) {
                               extended_[i] = one;
                               magnitudes_[i] = other;
                             });
    });
    for (auto [from, to] : {std::pair{&extended_, plain}, std::pair{&magnitudes_, weighted}}) {
      halo_.exchange(comm_, true, from->data(), 1);
      std::transform(from->data(), from->data() + rows, to.begin(),
                     [](const T& sum) { return std::real(sum); });
    }
  });
}

template <Scalar T>
void DistributedMatrix<T>::residual(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r,
                                    ThreadPool& pool) {
  mpi::revoke_on_error(comm_, [&] {
    require_fit<T>(b, x, local_.rows());
    require_fit<T>(b, r, local_.rows());
    visit_product(op, x, false, pool, [&](int, const ProductRows<T>& v) {
      T room[product_entries<T>];
      const T* const right = rows_of(v.columns_of(b), v.rows, v.width, room).data;
      std::transform(right, right + v.size(), v.product, v.product, std::minus<>{});
      from_rows(v.products(), v.rows, v.columns_of(r));
    });
  });
}

template <Scalar T>
void DistributedMatrix<T>::apply(Op op, Vectors<const T> x, Vectors<T> y, ThreadPool& pool) {
  mpi::revoke_on_error(comm_, [&] {
    require_fit<T>(x, y, local_.rows());
    visit_product(op, x, false, pool,
                  [&](int, const ProductRows<T>& v) { from_rows(v.products(), v.rows, v.columns_of(y)); });
  });
}

#define INSTANTIATE(T) template class DistributedMatrix<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
