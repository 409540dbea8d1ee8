#include "trisweep/krylov/distributed_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "trisweep/kernels/sparse_product.hpp"
#include "trisweep/krylov/block_rows.hpp"
#include "trisweep/krylov/bundle.hpp"

namespace trisweep::krylov {
namespace {

constexpr int tag_halo = 1;

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
  agree_on_neighbours();
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
  lending_.release();
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
  exchange(true, 1);
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
matrix::Csr<T> DistributedMatrix<T>::collect() const {
  const auto rows = transport::collectively(comm_, [&] {
    matrix::Csr<T> rows = local_;
    rows.pattern.cols = partition_.rows();
    const Index own = local_.rows(), first = partition_.first(comm_.rank());
    for (Index& j : rows.pattern.col) j = j < own ? j + first : ghosts_[usize(j - own)];
    return rows;
  });
  return krylov::collect(comm_, rows, partition_);
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

template <Scalar T>
void DistributedMatrix<T>::agree_on_neighbours() {
  const Index ranks = comm_.size();
  std::vector<int> wanted, asked, wanted_at, asked_at;
  transport::collectively(comm_, [&] {
    for (auto* list : {&wanted, &asked, &wanted_at, &asked_at}) list->resize(usize(ranks));
    for (const Index j : ghosts_) ++wanted[usize(partition_.owner(j))];
  });
  transport::check(MPI_Alltoall(wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, comm_.handle()),
                   "MPI_Alltoall");
  std::vector<Index> rows;
  transport::collectively(comm_, [&] {
    std::exclusive_scan(wanted.begin(), wanted.end(), wanted_at.begin(), 0);
    std::exclusive_scan(asked.begin(), asked.end(), asked_at.begin(), 0);
    rows.resize(std::accumulate(asked.begin(), asked.end(), std::size_t{0}));
    if (rows.size() > usize(std::numeric_limits<int>::max()))
      throw Error(ErrorKind::environment, "more rows of this rank are needed elsewhere than MPI counts",
                  "use fewer ranks");
  });
  transport::check(MPI_Alltoallv(ghosts_.data(), wanted.data(), wanted_at.data(), MPI_INT32_T, rows.data(),
                                 asked.data(), asked_at.data(), MPI_INT32_T, comm_.handle()),
                   "MPI_Alltoallv");
  transport::collectively(comm_, [&] {
    for (Index& row : rows) row -= partition_.first(comm_.rank());
    for (Index r = 0; r < ranks; ++r) {
      if (wanted[usize(r)] == 0 && asked[usize(r)] == 0) continue;
      const auto begin = rows.begin() + asked_at[usize(r)];
      neighbour_.push_back({.rank = r,
                            .owned = {begin, begin + asked[usize(r)]},
                            .ghost_begin = wanted_at[usize(r)],
                            .ghost_end = wanted_at[usize(r)] + wanted[usize(r)]});
    }
    lent_ = rows.size();
    request_.resize(2 * neighbour_.size());
  });
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
    constexpr const char* what = "the vectors of a residual";
    const auto fit = [&](std::size_t rows) { return zeros<T>(rows * usize(widest), what); };
    if (transposes) transposed = matrix::transpose(local_);
    if (transposes || transposed_) own_ = fit(usize(local_.rows()));
    extended_ = fit(usize(local_.cols()));
    lending_ = fit(lent_);
  });
  if (transposes) transposed_ = std::move(transposed);
  width_ = widest;
}

template <Scalar T>
void DistributedMatrix<T>::exchange(bool reversed, Index width) {
  const std::size_t row = usize(width);
  T* const ghosts = extended_.data() + usize(local_.rows()) * row;
  std::size_t used = 0;
  T* owned = lending_.data();
  for (const Neighbour& n : neighbour_) {
    if (!reversed) {
      T* to = owned;
      for (const Index i : n.owned) to = std::copy_n(extended_.data() + usize(i) * row, row, to);
    }
    const transport::Extent owned_rows(n.owned.size() * row * sizeof(T), comm_.limits());
    const transport::Extent ghost_rows(usize(n.ghost_end - n.ghost_begin) * row * sizeof(T), comm_.limits());
    const auto &sent = reversed ? ghost_rows : owned_rows, &received = reversed ? owned_rows : ghost_rows;
    T* const theirs = ghosts + usize(n.ghost_begin) * row;
    T* const out = reversed ? theirs : owned;
    T* const in = reversed ? owned : theirs;
    transport::check(
        MPI_Isend(out, sent.count(), sent.type(), n.rank, tag_halo, comm_.handle(), &request_[used++]),
        "MPI_Isend");
    transport::check(
        MPI_Irecv(in, received.count(), received.type(), n.rank, tag_halo, comm_.handle(), &request_[used++]),
        "MPI_Irecv");
    owned += n.owned.size() * row;
  }
  transport::Patience(std::numeric_limits<double>::infinity(), &comm_)
      .wait(static_cast<int>(used), request_.data(), "some rank has not brought its part of a residual");
  if (!reversed) return;
  owned = lending_.data();
  for (const Neighbour& n : neighbour_) {
    for (const Index i : n.owned) {
      T* const to = extended_.data() + usize(i) * row;
      std::transform(to, to + row, owned, to, std::plus<>{});
      owned += row;
    }
  }
}

template <Scalar T>
void DistributedMatrix<T>::residual_of_rows(const Bundle& v, Crew& crew) {
  const std::size_t rows = usize(local_.rows());
  crew.run(
      [&](int thread) { to_rows(v.x, crew.part(thread, rows, rows_at_once), v.width, extended_.data()); });
  exchange(false, v.width);
  crew.run([&](int thread) {
    const Crew::Part mine = crew.part(thread, rows, rows_at_once);
    T product[rows_at_once * kernels::line_rows<T>];
    for (std::size_t i = mine.begin; i < mine.end; i += rows_at_once) {
      const Crew::Part part{i, std::min(i + rows_at_once, mine.end)};
      const auto a = sparse_rows(local_, part);
      multiply(a, v.width, extended_.data(), product);
      join_rows(v.b, product, part, v.width, v.r, std::minus<>{});
      if (v.magnitude.data == nullptr) continue;
      multiply_magnitudes(a, v.width, extended_.data(), product);
      join_rows(v.b, product, part, v.width, v.magnitude, add_magnitude<T>);
    }
  });
}

template <Scalar T>
void DistributedMatrix<T>::multiply_columns(Op op, Values values, Index width, Crew& crew) {
  crew.run([&](int thread) {
    const Crew::Part mine = crew.part(thread, usize(local_.cols()), 1);
    const auto a = sparse_rows(*transposed_, mine, op == Op::conjugate_transpose);
    T* const product = extended_.data() + mine.begin * usize(width);
    values == Values::plain ? multiply(a, width, own_.data(), product)
                            : multiply_magnitudes(a, width, own_.data(), product);
  });
  exchange(true, width);
}

template <Scalar T>
void DistributedMatrix<T>::residual_of_columns(Op op, const Bundle& v, Crew& crew) {
  const auto by_parts = [&](const auto& work) {
    crew.run([&](int thread) { work(crew.part(thread, usize(local_.rows()), rows_at_once)); });
  };
  const auto product = [&](Crew::Part mine) { return extended_.data() + mine.begin * usize(v.width); };
  by_parts([&](Crew::Part mine) { to_rows(v.x, mine, v.width, own_.data()); });
  multiply_columns(op, Values::plain, v.width, crew);
  by_parts([&](Crew::Part mine) { join_rows(v.b, product(mine), mine, v.width, v.r, std::minus<>{}); });
  if (v.magnitude.data == nullptr) return;
  multiply_columns(op, Values::magnitudes, v.width, crew);
  by_parts(
      [&](Crew::Part mine) { join_rows(v.b, product(mine), mine, v.width, v.magnitude, add_magnitude<T>); });
}

template <Scalar T>
void DistributedMatrix<T>::residual(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r, Crew& crew,
                                    Vectors<RealOf<T>> magnitude) {
  transport::together(comm_, [&] { residual_together(op, x, b, r, crew, magnitude); });
}

template <Scalar T>
void DistributedMatrix<T>::residual_together(Op op, Vectors<const T> x, Vectors<const T> b, Vectors<T> r,
                                             Crew& crew, Vectors<RealOf<T>> magnitude) {
  require_fit<T>(b, x, local_.rows());
  require_fit<T>(b, r, local_.rows());
  prepare(op, b.cols);
  const Index width = bundle_width<T>(b.cols);
  for (Index c = 0; c < b.cols; c += width) {
    const auto bundled = [&]<class V>(Vectors<V> v) { return v.columns(c, std::min(width, v.cols - c)); };
    const Vectors<RealOf<T>> none{};
    const Bundle bundle{bundled(x), bundled(b), bundled(r), magnitude.data ? bundled(magnitude) : none,
                        width};
    if (op == Op::none) {
      residual_of_rows(bundle, crew);
    } else {
      residual_of_columns(op, bundle, crew);
    }
  }
}

#define INSTANTIATE(T) template class DistributedMatrix<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
