#include "trisweep/superlu_dist/scaled_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/core/permutation.hpp"
#include "trisweep/krylov/block_rows.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/solve/equilibration.hpp"
#include "trisweep/solve/parallel_matching.hpp"

namespace trisweep::superlu_dist {
namespace {

// Calls visit(row on this rank, place of the entry, column).
template <Scalar S>
void for_each_entry(const matrix::Csr<S>& a, const auto& visit) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i)) visit(i, usize(e), a.pattern.col[usize(e)]);
  }
}

// value * row * col with scales that are powers of two, whose product may be out of range where the result is
// not.
double scaled(double value, double row, double col) {
  return std::ldexp(value, std::ilogb(row) + std::ilogb(col));
}
template <class R>
std::complex<R> scaled(std::complex<R> value, double row, double col) {
  return {scaled(value.real(), row, col), scaled(value.imag(), row, col)};
}

// The product of two powers of two, or the nearest that is a normal number.
double product_of_scales(double a, double b) {
  using Limits = std::numeric_limits<double>;
  return std::ldexp(
      1.0, std::clamp(std::ilogb(a) + std::ilogb(b), Limits::min_exponent - 1, Limits::max_exponent - 1));
}

// Gathers the magnitudes of all scaled entries on rank 0.
template <Scalar S>
matrix::Csr<Single<double>> gathered_sizes(const mpi::Communicator& comm, const matrix::Csr<S>& rows,
                                           const distribution::RowPartition& partition,
                                           const Scaling& scaling) {
  auto sizes = mpi::agree_on_error(comm, [&] {
    matrix::Csr<Single<double>> of{rows.pattern, {}};
    of.value.reserve(rows.value.size());
    for_each_entry(rows, [&](Index i, std::size_t e, Index j) {
      const double size = scaled(double(std::abs(rows.value[e])),
                                 scaling.row[usize(partition.first(comm.rank()) + i)], scaling.col[usize(j)]);
      of.value.push_back(rows.value[e] == S(0) ? 0
                                               : std::max(static_cast<Single<double>>(size),
                                                          std::numeric_limits<Single<double>>::min()));
    });
    return of;
  });
  return krylov::collect(comm, std::move(sizes), partition);
}

}  // namespace

template <Scalar S>
Scaling scaling_of(const mpi::Communicator& comm, const matrix::Csr<S>& rows,
                   const distribution::RowPartition& partition, bool orders,
                   const solve::EngineRequest& request) {
  const auto units = solve::equilibrate(comm, rows, partition);
  const bool strong = units.has_strong_diagonal;
  Scaling scaling;
  mpi::agree_on_error(comm, [&] {
    scaling.row = units.row;
    scaling.col = units.col;
    for (Index j = 0; j < partition.rows(); ++j) scaling.place.push_back(j);
  });
  if (!orders) {
    if (strong) return scaling;
    if (auto made = solve::match_in_parallel(comm, rows, partition, units, request.observer)) {
      mpi::agree_on_error(comm, [&] { scaling.place = inverse_permutation(made->col_of_row); });
      scaling.row = std::move(made->scaling.row);
      scaling.col = std::move(made->scaling.col);
      return scaling;
    }
  }
  const auto whole = gathered_sizes(comm, rows, partition, scaling);
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() != 0) return;
    const auto made = ordering::order(whole, false,
                                      {.method = orders ? request.ordering : ordering::Method::natural,
                                       .matching = !strong,
                                       .equilibrate = !strong,
                                       .numbers = request.numbers},
                                      request.observer);
    const auto row_at = inverse_permutation(made.row_new);
    for (std::size_t j = 0; j < scaling.place.size(); ++j) {
      scaling.place[j] = row_at[usize(made.col_new[j])];
      scaling.row[j] = product_of_scales(scaling.row[j], made.row_scale[j]);
      scaling.col[j] = product_of_scales(scaling.col[j], made.col_scale[j]);
    }
    if (orders) scaling.order = made.row_new;
  });
  comm.broadcast(scaling.place);
  comm.broadcast(scaling.order);
  comm.broadcast(scaling.row);
  comm.broadcast(scaling.col);
  return scaling;
}

template <Scalar S>
double apply(const mpi::Communicator& comm, const Scaling& scaling, Index first, matrix::Csr<S>& rows) {
  std::vector<double> sums;
  mpi::agree_on_error(comm, [&] {
    sums.resize(scaling.col.size());
    std::vector<std::pair<Index, S>> row;
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto begin = usize(rows.pattern.row_ptr[usize(i)]);
      row.clear();
      for (std::size_t e = begin; e < usize(rows.pattern.row_ptr[usize(i) + 1]); ++e) {
        const auto j = usize(rows.pattern.col[e]);
        row.emplace_back(scaling.place[j],
                         scaled(rows.value[e], scaling.row[usize(first + i)], scaling.col[j]));
        sums[j] += double(std::abs(row.back().second));
      }
      std::ranges::sort(row, {}, &std::pair<Index, S>::first);
      for (std::size_t e = 0; e < row.size(); ++e) {
        rows.pattern.col[begin + e] = row[e].first;
        rows.value[begin + e] = row[e].second;
      }
    }
  });
  comm.sum(sums);
  return std::ranges::max(sums);
}

#define INSTANTIATE(S)                                                                               \
  template Scaling scaling_of(const mpi::Communicator&, const matrix::Csr<S>&,                       \
                              const distribution::RowPartition&, bool, const solve::EngineRequest&); \
  template double apply(const mpi::Communicator&, const Scaling&, Index, matrix::Csr<S>&);
INSTANTIATE(double)
INSTANTIATE(std::complex<double>)

}  // namespace trisweep::superlu_dist
