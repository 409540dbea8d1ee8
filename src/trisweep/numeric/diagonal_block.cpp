#include "trisweep/numeric/diagonal_block.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "trisweep/numeric/modulus.hpp"

namespace trisweep::numeric {
namespace {

constexpr Index unblocked_width = 16;  // narrower column blocks are factored column by column

template <Scalar T>
Index row_of_pivot(View<T> a, Index k) {
  Index best = k;
  RealOf<T> largest = modulus_1(a(k, k));
  for (Index i = k + 1; i < a.rows; ++i) {
    const RealOf<T> candidate = modulus_1(a(i, k));
    if (candidate > largest || std::isnan(largest)) {
      largest = candidate;
      best = i;
    }
  }
  return best;
}

// Right-looking elimination of a tall column block.
template <Scalar T>
Index lu_unblocked(View<T> a, std::span<Index> pivots, RealOf<T> bound) {
  Index perturbed = 0;
  for (Index k = 0; k < a.cols; ++k) {
    const Index p = pivots[usize(k)] = row_of_pivot(a, k);
    if (p != k) {
      for (Index j = 0; j < a.cols; ++j) std::swap(a(k, j), a(p, j));
    }
    perturbed += perturb(a(k, k), bound, bound);
    const T reciprocal = T(1) / a(k, k);
    for (Index i = k + 1; i < a.rows; ++i) a(i, k) *= reciprocal;
    for (Index j = k + 1; j < a.cols; ++j) {
      const T factor = a(k, j);
      if (factor == T(0)) continue;
      const T* source = a.column(k);
      T* target = a.column(j);
      for (Index i = k + 1; i < a.rows; ++i) target[i] -= factor * source[i];
    }
  }
  return perturbed;
}

// Replaces `a` by the identity, and returns a copy of `a` in `scratch`.
template <Scalar T>
View<T> exchange_for_identity(View<T> a, std::span<T> scratch) {
  for (Index j = 0; j < a.cols; ++j) {
    T* const column = a.column(j);
    std::copy_n(column, a.rows, scratch.data() + usize(j) * usize(a.rows));
    std::fill_n(column, a.rows, T(0));
    column[j] = T(1);
  }
  return {scratch.data(), a.rows, a.cols, a.rows};
}

// Rows of the identity that are turned into rows of the inverse of a triangle, or of two, at once: enough for
// large products. Row i of the inverse begins at column i.
constexpr Index rows_at_once = 128;

// Calls solve(b, i) for blocks b of rows of `a` that begin at row and column i.
template <Scalar T, class Solve>
void for_each_block_row(View<T> a, const Solve& solve) {
  for (Index i = 0; i < a.rows; i += rows_at_once)
    solve(a.block(i, i, std::min(rows_at_once, a.rows - i), a.cols - i), i);
}

}  // namespace

template <Scalar T>
void exchange_rows(View<T> a, std::span<const Index> pivots) {
  for (Index j = 0; j < a.cols; ++j) {
    T* column = a.column(j);
    for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(column[i], column[pivots[i]]);
  }
}

// Recursive in the columns (Toledo 1997): left half, update, right half.
template <Scalar T>
Index lu_in_place(View<T> a, std::span<Index> pivots, RealOf<T> bound) {
  if (a.cols <= unblocked_width) return lu_unblocked(a, pivots, bound);
  const Index left = a.cols / 2, right = a.cols - left, below = a.rows - left;
  const auto left_pivots = pivots.first(usize(left)), right_pivots = pivots.subspan(usize(left));

  Index perturbed = lu_in_place(a.block(0, 0, a.rows, left), left_pivots, bound);
  exchange_rows<T>(a.block(0, left, a.rows, right), left_pivots);
  solve_unit_lower(a.block(0, 0, left, left), a.block(0, left, left, right));
  subtract_product(a.block(left, left, below, right), a.block(left, 0, below, left), Op::none,
                   a.block(0, left, left, right));
  perturbed += lu_in_place(a.block(left, left, below, right), right_pivots, bound);
  exchange_rows<T>(a.block(left, 0, below, left), right_pivots);
  for (Index& p : right_pivots) p += left;
  return perturbed;
}

template <Scalar T>
void exchange_columns(View<T> b, std::span<const Index> pivots, bool forward) {
  const auto exchange = [&](Index i) {
    const Index p = pivots[usize(i)];
    if (p != i) std::swap_ranges(b.column(i), b.column(i) + b.rows, b.column(p));
  };
  const auto count = static_cast<Index>(pivots.size());
  if (forward) {
    for (Index i = 0; i < count; ++i) exchange(i);
  } else {
    for (Index i = count - 1; i >= 0; --i) exchange(i);
  }
}

// A^-1 = I U^-1 L^-1 P.
template <Scalar T>
void invert_from_lu(View<T> lu, std::span<const Index> pivots, std::span<T> scratch) {
  if (lu.rows == 1) {
    lu(0, 0) = T(1) / lu(0, 0);
    return;
  }
  const View<T> copy = exchange_for_identity(lu, scratch);
  for_each_block_row(lu, [&](View<T> rows, Index i) {
    solve_right(rows, copy.block(i, i, rows.cols, rows.cols), Triangle::upper, Op::none, Diagonal::stored);
  });
  solve_right(lu, copy, Triangle::lower, Op::none, Diagonal::unit);
  exchange_columns(lu, pivots, false);
}

template <Scalar T>
bool cholesky_in_place(View<T> a) {
  if (a.rows == 1) {
    const RealOf<T> pivot = std::real(a(0, 0));
    a(0, 0) = std::sqrt(pivot);
    return pivot > 0 && std::isfinite(pivot);
  }
  if (!cholesky_lower(a)) return false;
  // LAPACK lets a NaN pass.
  for (Index j = 0; j < a.cols; ++j) {
    if (!std::isfinite(std::real(a(j, j)))) return false;
  }
  return true;
}

// Sets the lower triangle from the upper one.
template <Scalar T>
void mirror_upper(View<T> a, Op op) {
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < j; ++i) a(j, i) = mirrored(op, a(i, j));
  }
}

// A^-1 = I L^-H L^-1, of which one triangle is enough.
template <Scalar T>
void invert_from_cholesky(View<T> l, std::span<T> scratch) {
  if (l.rows == 1) {
    const T inverse = T(1) / l(0, 0);
    l(0, 0) = inverse * inverse;
    return;
  }
  const View<T> copy = exchange_for_identity(l, scratch);
  for_each_block_row(l, [&](View<T> rows, Index i) {
    const View<T> below = copy.block(i, i, rows.cols, rows.cols);
    solve_right(rows, below, Triangle::lower, Op::conjugate_transpose, Diagonal::stored);
    solve_right(rows, below, Triangle::lower, Op::none, Diagonal::stored);
  });
  mirror_upper(l, Op::conjugate_transpose);
}

// A^-1 = I op(L)^-1 B^-1 L^-1 in the order of L, of which one triangle is enough.
template <Scalar T>
void invert_from_ldl(const BlockPivots<T>& factors, std::span<const Index> order, std::span<T> scratch) {
  const View<T> a = factors.diagonal;
  const View<T> l = exchange_for_identity(a, scratch);
  const auto solve = [&](Op op) {
    for_each_block_row(a, [&](View<T> rows, Index i) {
      solve_right(rows, l.block(i, i, rows.cols, rows.cols), Triangle::lower, op, Diagonal::unit);
    });
  };
  solve(factors.op);
  divide_by_pivots<T>(a, {l, factors.below, factors.op});
  solve(Op::none);
  mirror_upper(a, factors.op);
  if (std::ranges::is_sorted(order)) return;
  for (Index j = 0; j < a.cols; ++j) std::copy_n(a.column(j), a.rows, l.column(j));
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) a(order[usize(i)], order[usize(j)]) = l(i, j);
  }
}

#define TRISWEEP_INSTANTIATE(T)                                                                  \
  template Index lu_in_place<T>(View<T>, std::span<Index>, RealOf<T>);                           \
  template void invert_from_lu<T>(View<T>, std::span<const Index>, std::span<T>);                \
  template bool cholesky_in_place<T>(View<T>);                                                   \
  template void invert_from_cholesky<T>(View<T>, std::span<T>);                                  \
  template void invert_from_ldl<T>(const BlockPivots<T>&, std::span<const Index>, std::span<T>); \
  template void exchange_rows<T>(View<T>, std::span<const Index>);                               \
  template void exchange_columns<T>(View<T>, std::span<const Index>, bool);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
