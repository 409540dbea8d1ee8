#include "trisweep/numeric/tiny_front.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "trisweep/numeric/modulus.hpp"

namespace trisweep::numeric {
template <Scalar T>
void TinyFront<T>::add_in_runs(const T* __restrict block, std::span<const Index> places, Index scattered) {
  const auto m = static_cast<Index>(places.size());
  const Index* const place = places.data();
  for (Index j = 0; j < m; ++j, block += m) {
    T* const to = &at(0, place[j]);
    Index i = is_lu() ? 0 : j;
    for (; i < scattered; ++i) to[place[i]] += block[i];
    T* const __restrict last = to + place[m - 1] + 1 - m;
    for (; i < m; ++i) last[i] += block[i];
  }
}

// True if the pivot is acceptable. In LU, replaces a pivot that is too small.
template <Scalar T>
inline bool TinyFront<T>::accept(T& pivot, Index& perturbed) const {
  const Kind kind = source_.fronts.kind;
  if (kind == Kind::cholesky) return std::real(pivot) > 0 && std::isfinite(std::real(pivot));
  if (kind == Kind::ldlh) pivot = std::real(pivot);
  if (!is_lu()) return rules_.relative > 0 && std::abs(pivot) >= rules_.replacement;
  const bool small = perturb(pivot, rules_.replacement, rules_.replacement);
  perturbed += small;
  return !small || rules_.relative == 0;
}

// In LU, partial pivoting among the supernode's own rows. Returns true if the pivot is acceptable.
template <Scalar T>
bool TinyFront<T>::take_pivot(Index k, Index& perturbed) {
  if (!is_lu()) return accept(at(k, k), perturbed);
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
  return accept(at(k, k), perturbed);
}

// Computes column k of L and row k of U, and updates the supernode's other columns; for symmetric matrices U
// = D op(L).
template <Scalar T>
void TinyFront<T>::update(Index k) {
  T* const source = &at(0, k);
  if (!is_lu()) {
    for (Index j = k + 1; j < rows_; ++j) at(k, j) = mirrored(source[j]);
  }
  const T reciprocal = reciprocal_[usize(k)] = T(1) / source[k];
  for (Index i = k + 1; i < rows_; ++i) source[i] *= reciprocal;
  for (Index j = k + 1; j < width_; ++j) {
    T* const target = &at(0, j);
    const T factor = target[k];
    for (Index i = k + 1; i < rows_; ++i) target[i] -= source[i] * factor;
  }
}

// Updates the columns beyond the supernode with all of L at once; in LU, after solving with L11 for their
// rows of U.
template <Scalar T>
template <Index width>
void TinyFront<T>::update_rest(T* __restrict contribution) {
  const T* const lower = value_.data();
  const Index m = rows_ - width;
  for (Index j = 0; j < m; ++j, contribution += m) {
    T* const from = &at(0, width + j);
    std::array<T, width> factor;
    for (Index k = 0; k < width; ++k) {
      for (Index l = 0; l < k && is_lu(); ++l) from[k] -= lower[k + l * rows_] * from[l];
      factor[usize(k)] = from[k];
    }
    for (Index i = is_lu() ? 0 : j; i < m; ++i) {
      T sum = from[width + i];
      for (Index k = 0; k < width; ++k) sum -= lower[width + i + k * rows_] * factor[usize(k)];
      contribution[i] = sum;
    }
  }
}

// x := U11^-1 x.
template <Scalar T>
void TinyFront<T>::back_substitute(T* x) {
  for (Index k = width_ - 1; k >= 0; --k) {
    x[k] *= reciprocal_[usize(k)];
    for (Index i = 0; i < k; ++i) x[i] -= at(i, k) * x[k];
  }
}

// Stores L21 L11^-1 P.
template <Scalar T>
void TinyFront<T>::store_lower(T* lower) {
  const Index m = rows_ - width_;
  for (Index k = width_ - 1; k >= 0; --k) {
    for (Index l = k + 1; l < width_; ++l) {
      for (Index i = width_; i < rows_; ++i) at(i, k) -= at(i, l) * at(l, k);
    }
  }
  for (Index k = width_ - 1; k >= 0 && is_lu(); --k) {
    const Index p = pivot_[usize(k)];
    if (p != k) std::swap_ranges(&at(width_, k), &at(width_, k) + m, &at(width_, p));
  }
  for (Index k = 0; k < width_; ++k) lower = std::copy_n(&at(width_, k), m, lower);
}

// Stores U11^-1 L11^-1 P, column by column of P.
template <Scalar T>
void TinyFront<T>::store_inverse(T* diagonal) {
  for (Index c = 0; c < width_; ++c, diagonal += width_) {
    Index one = c;
    for (Index k = 0; k < width_ && is_lu(); ++k) {
      const Index p = pivot_[usize(k)];
      one = one == k ? p : one == p ? k : one;
    }
    T* const x = diagonal;
    std::fill_n(x, width_, T(0));
    x[one] = T(1);
    for (Index k = one; k < width_; ++k) {
      for (Index i = k + 1; i < width_; ++i) x[i] -= at(i, k) * x[k];
    }
    back_substitute(x);
  }
}

// Eliminates a front of a single column in one pass, in loops of constant length if `rows` is a constant.
template <Scalar T>
template <class Rows>
std::optional<Index> TinyFront<T>::eliminate_column(Rows rows, const PanelParts<T>& panel,
                                                    T* __restrict contribution) {
  const Index m = rows, ld = m + 1;
  Index perturbed = 0;
  if (!accept(value_[0], perturbed)) return std::nullopt;
  const T* const column = value_.data() + 1;
  const T reciprocal = T(1) / value_[0];
  T* const __restrict lower = panel.lower;
  for (Index i = 0; i < m; ++i) lower[i] = column[i] * reciprocal;
  if (may_grow() && exceeds<T>({lower, m, 1, m}, 1 / rules_.relative)) return std::nullopt;
  const bool lu = is_lu();
  for (Index j = 0; j < m; ++j) {
    const T* const from = column + (j + 1) * ld;
    const T factor = lu ? from[-1] : mirrored(column[j]);
    for (Index i = 0; i < m; ++i) contribution[i + j * m] = from[i] - lower[i] * factor;
    if (lu) panel.upper[j] = factor * reciprocal;
  }
  panel.diagonal[0] = reciprocal;
  return perturbed;
}

template <Scalar T>
template <Index width>
std::optional<Index> TinyFront<T>::eliminate_columns(const PanelParts<T>& panel, T* contribution) {
  Index perturbed = 0;
  for (Index k = 0; k < width; ++k) {
    if (!take_pivot(k, perturbed)) return std::nullopt;
    update(k);
  }
  for (Index k = 0; k < width && may_grow(); ++k) {
    const Index searched = is_lu() ? width : k + 1;  // rows before it were searched for the pivot
    const Index below = rows_ - searched;
    if (exceeds<T>({&at(searched, k), below, 1, below}, 1 / rules_.relative)) return std::nullopt;
  }
  update_rest<width>(contribution);
  const Index m = rows_ - width;
  for (Index j = 0; j < m && is_lu(); ++j) {
    T* const x = &at(0, width + j);
    back_substitute(x);
    for (Index k = 0; k < width; ++k) panel.upper[j + k * m] = x[k];
  }
  store_lower(panel.lower);
  store_inverse(panel.diagonal);
  return perturbed;
}

template <Scalar T>
std::optional<Index> TinyFront<T>::eliminate(const PanelParts<T>& panel, T* contribution) {
  const auto column = [&](auto rows) { return eliminate_column(rows, panel, contribution); };
  switch (width_) {
    case 1:
      break;
    case 2:
      return eliminate_columns<2>(panel, contribution);
    case 3:
      return eliminate_columns<3>(panel, contribution);
    case 4:
      return eliminate_columns<4>(panel, contribution);
    case 5:
      return eliminate_columns<5>(panel, contribution);
    default:
      return eliminate_columns<6>(panel, contribution);
  }
  switch (rows_ - 1) {
    case 1:
      return column(std::integral_constant<Index, 1>());
    case 2:
      return column(std::integral_constant<Index, 2>());
    case 3:
      return column(std::integral_constant<Index, 3>());
    case 4:
      return column(std::integral_constant<Index, 4>());
    case 5:
      return column(std::integral_constant<Index, 5>());
    case 6:
      return column(std::integral_constant<Index, 6>());
    default:
      return column(rows_ - 1);
  }
}

#define TRISWEEP_INSTANTIATE(T) template class TinyFront<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
