#include "trisweep/numeric/threshold_lu.hpp"

#include <algorithm>
#include <utility>

#include "trisweep/numeric/modulus.hpp"

namespace trisweep::numeric {

template <Scalar T>
void ThresholdLu<T>::swap_rows(Index a, Index b) {
  if (a == b) return;
  std::swap(m_.row[usize(a)], m_.row[usize(b)]);
  for (Index j = 0; j < f_.cols; ++j) std::swap(f_(a, j), f_(b, j));
}

template <Scalar T>
void ThresholdLu<T>::swap_columns(Index a, Index b) {
  if (a == b) return;
  std::swap(m_.col[usize(a)], m_.col[usize(b)]);
  std::swap_ranges(f_.column(a), f_.column(a) + f_.rows, f_.column(b));
}

// Returns the row before `end` with the pivot of column done_, or -1 if none is good enough.
template <Scalar T>
Index ThresholdLu<T>::row_of_pivot(Index end) const {
  const T* column = f_.column(done_);
  Index best = done_;
  RealOf<T> largest = 0, overall = 0;
  for (Index i = done_; i < end; ++i) {
    if (modulus_1(column[i]) > largest) {
      largest = modulus_1(column[i]);
      best = i;
    }
  }
  for (Index i = end; i < f_.rows; ++i) overall = std::max(overall, modulus_1(column[i]));
  return largest >= rules_.smallest && largest >= rules_.relative * overall ? best : -1;
}

// Makes F(done_, done_) a pivot and updates the columns before `end`.
template <Scalar T>
void ThresholdLu<T>::eliminate_column(Index end) {
  T* source = f_.column(done_);
  const T reciprocal = T(1) / source[done_];
  for (Index i = done_ + 1; i < f_.rows; ++i) source[i] *= reciprocal;
  for (Index j = done_ + 1; j < end; ++j) {
    T* target = f_.column(j);
    const T factor = target[done_];
    if (factor == T(0)) continue;
    for (Index i = done_ + 1; i < f_.rows; ++i) target[i] -= factor * source[i];
  }
  ++done_;
}

// Updates columns [begin, end) by the pivots [first, done_).
template <Scalar T>
void ThresholdLu<T>::update(Index first, Index begin, Index end) {
  const Index width = done_ - first, below = f_.rows - done_, cols = end - begin;
  if (width == 0 || cols == 0) return;
  const View<T> u = f_.block(first, begin, width, cols);
  solve_unit_lower(f_.block(first, first, width, width), u);
  subtract_product(f_.block(done_, begin, below, cols), f_.block(done_, first, below, width), Op::none, u);
}

// Eliminates columns [done_, last); those without a pivot come to lie before `last`.
template <Scalar T>
void ThresholdLu<T>::factor_panel(Index last, Index end) {
  for (Index untried = last; done_ < untried;) {
    const Index p = row_of_pivot(end);
    if (p < 0) {
      swap_columns(done_, --untried);
    } else {
      swap_rows(done_, p);
      eliminate_column(last);
    }
  }
}

// Moves the largest remaining entry to (done_, done_).
template <Scalar T>
void ThresholdLu<T>::bring_largest(Index end) {
  Index row = done_, col = done_;
  RealOf<T> largest = 0;
  for (Index j = done_; j < end; ++j) {
    for (Index i = done_; i < end; ++i) {
      if (!(modulus_1(f_(i, j)) > largest)) continue;
      largest = modulus_1(f_(i, j));
      row = i;
      col = j;
    }
  }
  swap_rows(done_, row);
  swap_columns(done_, col);
}

template <Scalar T>
void ThresholdLu<T>::eliminate_by_largest(Index end) {
  const Index first = done_;
  while (done_ < end) {
    bring_largest(end);
    if (row_of_pivot(end) < 0) break;
    eliminate_column(end);
  }
  update(first, end, f_.cols);
}

// A column and a row of which all remaining entries are smaller than any pivot get no others in another
// front, except by growth of these: delaying them would find no pivot that is not rounding error.
template <Scalar T>
void ThresholdLu<T>::replace_null(Index end) {
  const auto is_null = [&](const T& entry) { return modulus_1(entry) < rules_.smallest; };
  const auto is_null_column = [&](Index j) {
    return std::all_of(f_.column(j) + done_, f_.column(j) + f_.rows, is_null);
  };
  const auto is_null_row = [&](Index i) {
    for (Index j = done_; j < f_.cols; ++j)
      if (!is_null(f_(i, j))) return false;
    return true;
  };
  for (Index row = done_, col = done_;; ++row, ++col) {
    while (col < end && !is_null_column(col)) ++col;
    if (col == end) return;
    while (row < end && !is_null_row(row)) ++row;
    if (row == end) return;
    swap_rows(done_, row);
    swap_columns(done_, col);
    perturbed_ += perturb(f_(done_, done_), rules_.smallest, rules_.replacement);
    eliminate_column(end);
  }
}

// Takes the best remaining pivots. Once one has to be replaced, the others have to be, too: none is larger.
template <Scalar T>
void ThresholdLu<T>::force(Index end, Index most_left, RealOf<T> bound) {
  for (bool replaced = false; end - done_ > most_left;) {
    if (!replaced) bring_largest(end);
    const bool small = perturb(f_(done_, done_), bound, rules_.replacement);
    perturbed_ += small;
    replaced = replaced || small;
    eliminate_column(end);
  }
}

#define TRISWEEP_INSTANTIATE(T) template class ThresholdLu<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
