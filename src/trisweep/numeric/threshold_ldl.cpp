#include "trisweep/numeric/threshold_ldl.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "trisweep/numeric/modulus.hpp"

namespace trisweep::numeric {
namespace {

// Bunch and Parlett (1971): with a pivot of order 1 at least this times the largest entry, entries grow no
// more than with one of order 2.
constexpr double least_single_share = 0.6403882032022076;  // (1 + sqrt(17)) / 8

}  // namespace

// Exchanges rows a and b and columns a and b, in the lower triangle.
template <Scalar T>
void ThresholdLdl<T>::swap_columns(Index a, Index b) {
  if (a == b) return;
  if (a > b) std::swap(a, b);
  std::swap(m_.row[usize(a)], m_.row[usize(b)]);
  std::swap(m_.col[usize(a)], m_.col[usize(b)]);
  for (Index j = 0; j < a; ++j) std::swap(f_(a, j), f_(b, j));
  std::swap(f_(a, a), f_(b, b));
  for (Index i = a + 1; i < b; ++i) {
    const T value = f_(i, a);
    f_(i, a) = mirrored(op_, f_(b, i));
    f_(b, i) = mirrored(op_, value);
  }
  f_(b, a) = mirrored(op_, f_(b, a));
  std::swap_ranges(f_.column(a) + b + 1, f_.column(a) + f_.rows, f_.column(b) + b + 1);
}

// Largest entry of row j in the part that is not eliminated, except on the diagonal and in column `other`.
template <Scalar T>
RealOf<T> ThresholdLdl<T>::largest_beside(Index j, Index other) const {
  RealOf<T> largest = 0;
  for (Index i = done_; i < j; ++i)
    if (i != other) largest = std::max(largest, modulus_1(f_(j, i)));
  for (Index i = j + 1; i < f_.rows; ++i)
    if (i != other) largest = std::max(largest, modulus_1(f_(i, j)));
  return largest;
}

// True if rows done_ and r form a good pivot B of order 2: |B^-1| times the largest entries beside it is
// bounded.
template <Scalar T>
bool ThresholdLdl<T>::is_good_pair(Index r) const {
  using Real = RealOf<T>;
  const T b = f_(r, done_), d = f_(done_, done_), e = f_(r, r);
  const Real size = std::max({modulus_1(d), modulus_1(b), modulus_1(e)});
  const Real determinant = std::abs(d * e - b * mirrored(op_, b));
  const Real beside_d = largest_beside(done_, r), beside_e = largest_beside(r, done_);
  const Real grown = std::max(modulus_1(e) * beside_d + modulus_1(b) * beside_e,
                              modulus_1(b) * beside_d + modulus_1(d) * beside_e);
  return determinant >= rules_.smallest * size && determinant >= rules_.relative * grown &&
         determinant >= rules_.relative * modulus_1(b) * modulus_1(b);
}

// Returns the order of a good pivot that begins at done_, or 0 if there is none. For order 2 the second row,
// found before `untried`, is moved to done_ + 1.
template <Scalar T>
int ThresholdLdl<T>::find_pivot(Index untried) {
  const RealOf<T> pivot = modulus_1(f_(done_, done_));
  if (pivot >= rules_.smallest && pivot >= rules_.relative * largest_beside(done_, done_)) return 1;
  Index r = -1;
  RealOf<T> largest = 0;
  for (Index i = done_ + 1; i < untried; ++i) {
    if (!(modulus_1(f_(i, done_)) > largest)) continue;
    largest = modulus_1(f_(i, done_));
    r = i;
  }
  if (r < 0 || !is_good_pair(r)) return 0;
  swap_columns(done_ + 1, r);
  return 2;
}

// Eliminates the pivot at done_ and updates the columns before `end`.
template <Scalar T>
void ThresholdLdl<T>::eliminate_pivot(int order, Index end) {
  const Index k = done_, next = k + order, rows = f_.rows - next, cols = end - next;
  if (op_ == Op::conjugate_transpose) {
    for (Index i = k; i < next; ++i) f_(i, i) = std::real(f_(i, i));
  }
  if (order == 2) below_[usize(k)] = std::exchange(f_(k + 1, k), T(0));
  product_.resize(2 * usize(std::max(cols, 0)));  // these columns still hold L B, the multipliers
  for (int q = 0; q < order; ++q) std::copy_n(f_.column(k + q) + next, cols, product_.data() + q * cols);
  const BlockPivots<T> pivots = factors().part(k, next);
  divide_by_pivots(f_.block(next, k, rows, order), pivots);
  for (int q = 0; q < order; ++q) {
    const T* const source = f_.column(k + q);
    for (Index j = next; j < end; ++j) {
      const T factor = mirrored(op_, product_[usize(q * cols + j - next)]);
      if (factor == T(0)) continue;
      T* const target = f_.column(j);
      for (Index i = j; i < f_.rows; ++i) target[i] -= source[i] * factor;
    }
  }
  if (order == 2) summary_.add_pair(pivots.determinant(0), f_(k, k) + f_(k + 1, k + 1), kind_);
  done_ = next;
}

// Updates columns [begin, end) by the pivots [first, done_).
template <Scalar T>
void ThresholdLdl<T>::update(Index first, Index begin, Index end) {
  const Index width = done_ - first, cols = end - begin;
  if (width == 0 || cols == 0) return;
  product_.resize(usize(width) * usize(cols));
  const View<T> product{product_.data(), cols, width, cols};
  for (Index q = 0; q < width; ++q) std::copy_n(f_.column(first + q) + begin, cols, product.column(q));
  multiply_by_pivots(product, factors().part(first, done_));
  subtract_lower_product(f_.block(begin, begin, cols, cols), f_.block(begin, first, cols, width), op_,
                         product);
  subtract_product(f_.block(end, begin, f_.rows - end, cols), f_.block(end, first, f_.rows - end, width), op_,
                   product);
}

// Eliminates columns [done_, last); those without a pivot come to lie before `last`.
template <Scalar T>
void ThresholdLdl<T>::factor_panel(Index last, Index) {
  for (Index untried = last; done_ < untried;) {
    const int order = find_pivot(untried);
    if (order == 0) {
      swap_columns(done_, --untried);
      continue;
    }
    if (order == 1) summary_.add(f_(done_, done_), kind_);
    eliminate_pivot(order, last);
  }
}

// Complete pivoting: moves the best remaining pivot to done_ and returns its order.
template <Scalar T>
int ThresholdLdl<T>::bring_largest(Index end, RealOf<T> bound) {
  Index single = done_, row = done_, col = done_;
  RealOf<T> diagonal = 0, beside = 0;
  for (Index j = done_; j < end; ++j) {
    if (modulus_1(f_(j, j)) > diagonal) {
      diagonal = modulus_1(f_(j, j));
      single = j;
    }
    for (Index i = j + 1; i < end; ++i) {
      if (!(modulus_1(f_(i, j)) > beside)) continue;
      beside = modulus_1(f_(i, j));
      row = i;
      col = j;
    }
  }
  if (beside < bound || diagonal >= RealOf<T>(least_single_share) * beside) {
    swap_columns(done_, single);
    return 1;
  }
  swap_columns(done_, col);
  swap_columns(done_ + 1, row);
  return 2;
}

template <Scalar T>
bool ThresholdLdl<T>::replace_small(RealOf<T> bound) {
  T& pivot = f_(done_, done_);
  if (op_ == Op::conjugate_transpose) pivot = std::real(pivot);
  const bool is_zero = !(std::abs(pivot) >= rules_.smallest);
  const bool small = perturb(pivot, bound, rules_.replacement);
  perturbed_ += small;
  small&& is_zero ? summary_.add_zero() : summary_.add(pivot, kind_);
  return small;
}

// See ThresholdLu.
template <Scalar T>
void ThresholdLdl<T>::replace_null(Index end) {
  const auto is_null = [&](const T& entry) { return modulus_1(entry) < rules_.smallest; };
  const auto is_null_row = [&](Index j) {
    for (Index i = done_; i < j; ++i)
      if (!is_null(f_(j, i))) return false;
    return std::all_of(f_.column(j) + j, f_.column(j) + f_.rows, is_null);
  };
  for (Index j = done_; j < end; ++j) {
    if (!is_null_row(j)) continue;
    swap_columns(done_, j);
    replace_small(rules_.smallest);
    eliminate_pivot(1, end);
  }
}

// Takes the best remaining pivots. Once one has to be replaced, the others have to be, too: none is larger.
template <Scalar T>
void ThresholdLdl<T>::force(Index end, Index most_left, RealOf<T> bound) {
  for (bool replaced = false; end - done_ > most_left;) {
    const int order = replaced ? 1 : bring_largest(end, bound);
    if (order == 1) replaced = replace_small(bound) || replaced;
    eliminate_pivot(order, end);
  }
}

#define TRISWEEP_INSTANTIATE(T) template class ThresholdLdl<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
