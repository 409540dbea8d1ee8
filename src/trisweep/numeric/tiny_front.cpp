#include "trisweep/numeric/tiny_front.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "trisweep/numeric/modulus.hpp"

namespace trisweep::numeric {

template <Scalar T>
void TinyFront<T>::begin(Index supernode, Index width, Index rows) {
  width_ = width;
  rows_ = rows;
  std::fill_n(value_.data(), usize(rows) * usize(rows), T(0));
  for (const MatrixEntry& e : source_.fronts.entries(supernode))
    at(e.row, e.col) += source_.values[usize(e.source)];
}

template <Scalar T>
void TinyFront<T>::add_child(View<T> child, std::span<const Index> places) {
  for (Index j = 0; j < child.cols; ++j) {
    const T* from = child.column(j);
    T* to = &at(0, places[usize(j)]);
    for (Index i = is_cholesky() ? j : 0; i < child.rows; ++i) to[places[usize(i)]] += from[i];
  }
}

// Partial pivoting among the supernode's own rows; for Cholesky whether the pivot is one.
template <Scalar T>
bool TinyFront<T>::take_pivot(Index k, Index& perturbed) {
  if (is_cholesky()) return std::real(at(k, k)) > 0 && std::isfinite(std::real(at(k, k)));
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

// Column k of L, row k of U, and what they subtract from the rest: for Cholesky, U = D L^H, from its lower
// triangle.
template <Scalar T>
void TinyFront<T>::update(Index k) {
  T* const source = &at(0, k);
  if (is_cholesky()) {
    for (Index j = k + 1; j < rows_; ++j) at(k, j) = conjugate(source[j]);
  }
  const T reciprocal = reciprocal_[usize(k)] = T(1) / source[k];
  for (Index i = k + 1; i < rows_; ++i) source[i] *= reciprocal;
  for (Index j = k + 1; j < rows_; ++j) {
    T* const target = &at(0, j);
    const T factor = target[k];
    for (Index i = is_cholesky() ? j : k + 1; i < rows_; ++i) target[i] -= source[i] * factor;
  }
}

// Whether an entry of L below the pivots is above the bound, or not a number.
template <Scalar T>
bool TinyFront<T>::grows() {
  const RealOf<T> bound = 1 / rules_.relative;
  bool above = false;
  for (Index k = 0; k < width_; ++k) {
    for (Index i = width_; i < rows_; ++i)
      above |= !(std::abs(std::real(at(i, k))) <= bound && std::abs(std::imag(at(i, k))) <= bound);
  }
  return above;
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
void TinyFront<T>::store_lower(View<T> lower) {
  for (Index k = width_ - 1; k >= 0; --k) {
    for (Index l = k + 1; l < width_; ++l) {
      for (Index i = width_; i < rows_; ++i) at(i, k) -= at(i, l) * at(l, k);
    }
  }
  for (Index k = width_ - 1; k >= 0 && !is_cholesky(); --k) {
    const Index p = pivot_[usize(k)];
    if (p != k) std::swap_ranges(&at(width_, k), &at(width_, k) + lower.rows, &at(width_, p));
  }
  for (Index k = 0; k < width_; ++k) std::copy_n(&at(width_, k), lower.rows, lower.column(k));
}

// U11^-1 L11^-1 P, by columns of P.
template <Scalar T>
void TinyFront<T>::store_inverse(View<T> diagonal) {
  for (Index c = 0; c < width_; ++c) {
    Index one = c;
    for (Index k = 0; k < width_ && !is_cholesky(); ++k) {
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

template <Scalar T>
std::optional<Index> TinyFront<T>::eliminate(const Panel<T>& panel, View<T> contribution) {
  Index perturbed = 0;
  for (Index k = 0; k < width_; ++k) {
    if (!take_pivot(k, perturbed)) return std::nullopt;
    update(k);
  }
  if (!is_cholesky() && rules_.relative > 0 && grows()) return std::nullopt;
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

#define TRISWEEP_INSTANTIATE(T) template class TinyFront<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
