#include "trisweep/solve/linear_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/finite.hpp"
#include "trisweep/solve/finite_input.hpp"
#include "trisweep/solve/range.hpp"

namespace trisweep::solve {

template <Scalar T>
LinearSystem<T>::LinearSystem(const mpi::Communicator& comm, BlockRows<T> rows) : comm_(comm) {
  ConsecutiveRows<T> own = consecutive(comm_, std::move(rows));
  entry_ = std::move(own.entry);
  number_ = std::move(own.number);
  unit_ = unit_of_range<T>(comm_, own.a.value, is_within_range<T>(own.a.value));
  if (unit_ != 1) std::ranges::for_each(own.a.value, [&](T& v) { v *= unit_; });
  const auto start = Clock::now();
  a_.emplace(comm_.share(), std::move(own.a), own.partition);
  seconds_ = comm_.max(seconds_since(start));
}

template <Scalar T>
LinearSystem<T>::LinearSystem(const LinearSystem& of, matrix::Csr<T> rows)
    : comm_(of.comm_), number_(of.number_), unit_(of.unit_) {
  a_.emplace(comm_.share(), std::move(rows), of.a_->partition());
}

template <Scalar T>
void LinearSystem<T>::require_finite(std::span<const T> values) const {
  const auto found = std::ranges::find_if_not(values, is_finite<T>);
  if (found == values.end()) return;
  const Offset at = found - values.begin();
  const auto& row_ptr = a_->local().pattern.row_ptr;
  const auto row = std::ranges::upper_bound(row_ptr, at) - row_ptr.begin() - 1;
  throw Error(ErrorKind::input,
              fmt::format("value {} of the matrix, in row {} (counting from 0), is not finite", at,
                          numbers()(static_cast<Index>(row))),
              "look for a division by zero or an overflow where the matrix is made");
}

template <Scalar T>
void LinearSystem<T>::replace_values(std::span<const T> values) {
  std::vector<T> ordered;  // if the caller's values are in another order
  bool within_range = false;
  mpi::agree_on_error(comm_, [&] {
    if (std::ssize(values) != a_->local().nonzeros())
      throw Error(ErrorKind::usage, "the number of values is not the number of entries of the matrix",
                  "pass values for the same pattern");
    within_range = is_within_range(values);
    if (!within_range) require_finite(values);
    ordered.resize(entry_.size());
    std::ranges::transform(entry_, ordered.begin(), [&](Offset e) { return values[usize(e)]; });
  });
  const RealOf<T> unit = unit_of_range(comm_, values, within_range);
  a_->replace_values(entry_.empty() ? values : ordered, unit);
  unit_ = unit;
}

template <Scalar T>
matrix::Csr<T> LinearSystem<T>::as_given(const matrix::Csr<T>& whole) const {
  std::vector<Index> place(usize(whole.rows()));
  std::iota(place.begin(), place.end(), Index{0});
  std::ranges::transform(place, place.begin(), numbers());
  const std::vector<double> unit(place.size(), 1 / double(unit_)), one(place.size(), 1);
  return matrix::permuted_and_scaled<T>(whole, place, place, unit, one);
}

template <Scalar T>
template <Scalar F>
matrix::Csr<F> LinearSystem<T>::rows_in() const {
  const matrix::Csr<T>& local = a_->local();
  matrix::Csr<F> rows{{local.rows(), a_->partition().rows(), local.pattern.row_ptr, {}}, {}};
  std::vector<std::pair<Index, F>> row;
  for (Index i = 0; i < local.rows(); ++i) {
    row.clear();
    for (const Offset e : local.pattern.entries(i))
      row.emplace_back(a_->column(local.pattern.col[usize(e)]), F(local.value[usize(e)]));
    std::ranges::sort(row, {}, &std::pair<Index, F>::first);
    for (const auto& [col, value] : row) {
      rows.pattern.col.push_back(col);
      rows.value.push_back(value);
    }
  }
  return rows;
}

template <Scalar T>
Index LinearSystem<T>::most_entries(Op op) {
  Index& most = most_entries_[op == Op::none ? 0 : 1];
  if (most > 0) return most;
  double here = 0;
  if (op == Op::none) {
    for (Index i = 0; i < a_->local_rows(); ++i)
      here = std::max(here, double(a_->local().pattern.row(i).size()));
  } else {
    here = std::ranges::max(column_sums([](Index, Index, const T&) { return 1.0; }));
  }
  return most = static_cast<Index>(comm_.max(here));
}

template <Scalar T>
double LinearSystem<T>::scaled_norm_one(std::span<const double> row_scale,
                                        std::span<const double> col_scale) const {
  const Index first = numbers().first;
  const auto sums = column_sums([&](Index i, Index j, const T& v) {
    return double(std::abs(v)) * row_scale[usize(first + i)] * col_scale[usize(j)];
  });
  return sums.empty() ? 0 : std::ranges::max(sums);
}

template <Scalar T>
model::ProductShare LinearSystem<T>::product_share() const {
  const auto most = [&](auto value) { return comm_.max(double(value)); };
  const matrix::Csr<T>& local = a_->local();
  return {.ranks = comm_.size(),
          .rows = static_cast<Index>(most(local.rows())),
          .nonzeros = static_cast<Offset>(most(local.nonzeros())),
          .neighbours = static_cast<Index>(most(a_->halo().neighbours().size())),
          .ghosts = static_cast<Index>(most(local.cols() - local.rows()))};
}

template <Scalar T>
template <class Change>
Vectors<const T> LinearSystem<T>::copy(Vectors<const T> b, const TriangularSolver<T>& solver,
                                       const Change& change) {
  return mpi::agree_on_error(comm_, [&]() -> Vectors<const T> {
    solver.require_fit(b, b);
    copy_.resize(usize(b.rows) * usize(b.cols));
    const Vectors<T> to{copy_.data(), b.rows, b.cols};
    if (b.space == MemorySpace::host) {
      for (Index c = 0; c < b.cols; ++c) std::copy_n(b.column(c), b.rows, to.column(c));
    } else {
      solver.copy(to, b);
    }
    std::ranges::transform(copy_, copy_.begin(), change);
    return to;
  });
}

template <Scalar T>
Vectors<const T> LinearSystem<T>::in_range(Vectors<const T> b, const TriangularSolver<T>& solver) {
  return unit_ == 1 ? b : copy(b, solver, [&](const T& v) { return v * unit_; });
}

template <Scalar T>
void LinearSystem<T>::require_finite(Vectors<const T> b, const TriangularSolver<T>& solver) {
  const bool reachable = b.space == MemorySpace::host;
  solve::require_finite(comm_, reachable ? b : copy(b, solver, std::identity{}), numbers());
}

#define INSTANTIATE(T) template class LinearSystem<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
#define INSTANTIATE_ROWS(F, T) template matrix::Csr<F> LinearSystem<T>::rows_in<F>() const;
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_ROWS)

}  // namespace trisweep::solve
