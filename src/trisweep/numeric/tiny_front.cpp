#include "trisweep/numeric/tiny_front.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "trisweep/numeric/modulus.hpp"

namespace trisweep::numeric {
namespace {

// Whether an entry of a column of L is above the bound, or not a number.
template <Scalar T>
bool grows(const T* column, Index rows, RealOf<T> bound) {
  bool above = false;
  for (Index i = 0; i < rows; ++i)
    above |= !(std::abs(std::real(column[i])) <= bound && std::abs(std::imag(column[i])) <= bound);
  return above;
}

}  // namespace

template <Scalar T>
void TinyFront<T>::begin(Index supernode, Index width, Index rows) {
  width_ = width;
  rows_ = rows;
  std::fill_n(value_.data(), usize(rows) * usize(rows), T(0));
  for (const MatrixEntry& e : source_.fronts.entries(supernode))
    at(e.row, e.col) += source_.values[usize(e.source)];
}

template <Scalar T>
void TinyFront<T>::add_child(const T* block, std::span<const Index> places) {
  for (std::size_t j = 0; j < places.size(); ++j, block += places.size()) {
    T* const to = &at(0, places[j]);
    for (std::size_t i = is_lu() ? 0 : j; i < places.size(); ++i) to[places[i]] += block[i];
  }
}

// Partial pivoting among the supernode's own rows; of symmetric matrices whether the pivot is one.
template <Scalar T>
bool TinyFront<T>::take_pivot(Index k, Index& perturbed) {
  const Kind kind = source_.fronts.kind;
  if (kind == Kind::cholesky) return std::real(at(k, k)) > 0 && std::isfinite(std::real(at(k, k)));
  if (kind == Kind::ldlh) at(k, k) = std::real(at(k, k));
  if (!is_lu()) return rules_.relative > 0 && std::abs(at(k, k)) >= rules_.replacement;
  Index best = k;
  RealOf<T> largest = modulus_1(at(k, k));
  for (Index i = k + 1; i < width_; ++i) {
    const RealOf<T> candidate = modulus_1(at(i, k));
    if (candidate > largest || std::isnan(largest)) {
      largest = candidate;
      best = i;
    }
  }
  pivot_[usize(k)] = best;
  if (best != k) {
    for (Index j = 0; j < rows_; ++j) std::swap(at(k, j), at(best, j));
  }
  const bool small = perturb(at(k, k), rules_.replacement, rules_.replacement);
  perturbed += small;
  return !small || rules_.relative == 0;
}

// Column k of L, row k of U, and what they subtract from the rest: of symmetric matrices, with U = D op(L),
// from its lower triangle.
template <Scalar T>
void TinyFront<T>::update(Index k) {
  T* const source = &at(0, k);
  if (!is_lu()) {
    for (Index j = k + 1; j < rows_; ++j) at(k, j) = mirrored(source[j]);
  }
  const T reciprocal = reciprocal_[usize(k)] = T(1) / source[k];
  for (Index i = k + 1; i < rows_; ++i) source[i] *= reciprocal;
  for (Index j = k + 1; j < rows_; ++j) {
    T* const target = &at(0, j);
    const T factor = target[k];
    for (Index i = is_lu() ? k + 1 : j; i < rows_; ++i) target[i] -= source[i] * factor;
  }
}

// U11^-1 of a column.
template <Scalar T>
void TinyFront<T>::back_substitute(T* x) {
  for (Index k = width_ - 1; k >= 0; --k) {
    x[k] *= reciprocal_[usize(k)];
    for (Index i = 0; i < k; ++i) x[i] -= at(i, k) * x[k];
  }
}

// L21 L11^-1 P.
template <Scalar T>
void TinyFront<T>::store_lower(const View<T>& lower) {
  for (Index k = width_ - 1; k >= 0; --k) {
    for (Index l = k + 1; l < width_; ++l) {
      for (Index i = width_; i < rows_; ++i) at(i, k) -= at(i, l) * at(l, k);
    }
  }
  for (Index k = width_ - 1; k >= 0 && is_lu(); --k) {
    const Index p = pivot_[usize(k)];
    if (p != k) std::swap_ranges(&at(width_, k), &at(width_, k) + lower.rows, &at(width_, p));
  }
  for (Index k = 0; k < width_; ++k) std::copy_n(&at(width_, k), lower.rows, lower.column(k));
}

// U11^-1 L11^-1 P, by columns of P.
template <Scalar T>
void TinyFront<T>::store_inverse(const View<T>& diagonal) {
  for (Index c = 0; c < width_; ++c) {
    Index one = c;
    for (Index k = 0; k < width_ && is_lu(); ++k) {
      const Index p = pivot_[usize(k)];
      one = one == k ? p : one == p ? k : one;
    }
    T* const x = diagonal.column(c);
    std::fill_n(x, width_, T(0));
    x[one] = T(1);
    for (Index k = one; k < width_; ++k) {
      for (Index i = k + 1; i < width_; ++i) x[i] -= at(i, k) * x[k];
    }
    back_substitute(x);
  }
}

// Of a single column: everything in one pass.
template <Scalar T>
std::optional<Index> TinyFront<T>::eliminate_column(const Panel<T>& panel, const View<T>& contribution) {
  Index perturbed = 0;
  if (!take_pivot(0, perturbed)) return std::nullopt;
  const T* const column = value_.data() + 1;
  const T reciprocal = T(1) / value_[0];
  const Index m = contribution.rows;
  for (Index i = 0; i < m; ++i) panel.lower.data[i] = column[i] * reciprocal;
  if (may_grow() && grows(panel.lower.data, m, 1 / rules_.relative)) return std::nullopt;
  for (Index j = 0; j < m; ++j) {
    const T factor = is_lu() ? at(0, j + 1) : mirrored(column[j]);
    const T* const from = &at(1, j + 1);
    T* const to = contribution.column(j);
    for (Index i = is_lu() ? 0 : j; i < m; ++i) to[i] = from[i] - panel.lower.data[i] * factor;
    if (is_lu()) panel.upper.data[j] = factor * reciprocal;
  }
  panel.diagonal.data[0] = reciprocal;
  return perturbed;
}

template <Scalar T>
std::optional<Index> TinyFront<T>::eliminate(const Panel<T>& panel, const View<T>& contribution) {
  if (width_ == 1) return eliminate_column(panel, contribution);
  Index perturbed = 0;
  for (Index k = 0; k < width_; ++k) {
    if (!take_pivot(k, perturbed)) return std::nullopt;
    update(k);
  }
  for (Index k = 0; k < width_ && may_grow(); ++k) {
    const Index searched = is_lu() ? width_ : k + 1;  // rows before it were pivoted among
    if (grows(value_.data() + searched + k * rows_, rows_ - searched, 1 / rules_.relative))
      return std::nullopt;
  }
  for (Index j = 0; j < contribution.cols; ++j)
    std::copy_n(&at(width_, width_ + j), contribution.rows, contribution.column(j));
  for (Index j = 0; j < panel.upper.rows; ++j) {
    back_substitute(&at(0, width_ + j));
    for (Index k = 0; k < width_; ++k) panel.upper(j, k) = at(k, width_ + j);
  }
  store_lower(panel.lower);
  store_inverse(panel.diagonal);
  return perturbed;
}

template <Scalar T>
void TinyFront<T>::add_pivots(PivotSummary& to) {
  for (Index k = 0; k < width_; ++k) to.add(at(k, k), source_.fronts.kind);
}

#define TRISWEEP_INSTANTIATE(T) template class TinyFront<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
