// B := B op(R)^-1: recursion by halves of the triangle, with products between them, down to triangles so
// narrow that substitution (substitution.hpp) is faster than a call of the BLAS.

#include <span>

#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/substitution.hpp"

namespace trisweep::numeric {
namespace {

constexpr Index widest_substitution = 32;

// True if the columns of B are computed from the first to the last.
bool ascends(Triangle triangle, Op op) {
  return (triangle == Triangle::upper) == (op == Op::none);
}

template <Scalar T>
void solve_narrow(View<T> b, View<T> r, bool ascending, Op op, Diagonal diagonal) {
  static const auto best = TRISWEEP_BEST_ISA(substitute<T>);
  T c[widest_substitution * widest_substitution];
  const Index w = b.cols;
  const auto place = [&](Index i) { return ascending ? i : w - 1 - i; };  // of the i-th computed column
  const auto entry = [&](Index i, Index j) {
    const T value = op == Op::none ? r(i, j) : r(j, i);
    return op == Op::conjugate_transpose ? conjugate(value) : value;
  };
  for (Index j = 0; j < w; ++j) {
    for (Index k = 0; k < j; ++k) c[j * w + k] = entry(place(k), place(j));
    c[j * w + j] = diagonal == Diagonal::unit ? T(1) : T(1) / entry(place(j), place(j));
  }
  best({b.column(place(0)), ascending ? b.ld : -Offset{b.ld}, b.rows, w, c});
}

template <Scalar T>
void divide_column(View<T> b, T by, Op op, Diagonal diagonal) {
  if (diagonal == Diagonal::unit) return;
  const T factor = T(1) / (op == Op::conjugate_transpose ? conjugate(by) : by);
  for (T& value : std::span(b.data, usize(b.rows))) value *= factor;
}

}  // namespace

template <Scalar T>
void solve_right(View<T> b, View<T> r, Triangle triangle, Op op, Diagonal diagonal) {
  if (b.empty()) return;
  if (b.cols == 1) return divide_column(b, r(0, 0), op, diagonal);
  const bool ascending = ascends(triangle, op);
  if (b.cols <= widest_substitution) return solve_narrow(b, r, ascending, op, diagonal);
  const Index left = b.cols / 2, right = b.cols - left;
  const View<T> b1 = b.block(0, 0, b.rows, left), b2 = b.block(0, left, b.rows, right);
  const View<T> r11 = r.block(0, 0, left, left), r22 = r.block(left, left, right, right);
  const View<T> between =
      triangle == Triangle::upper ? r.block(0, left, left, right) : r.block(left, 0, right, left);
  solve_right(ascending ? b1 : b2, ascending ? r11 : r22, triangle, op, diagonal);
  subtract_product(ascending ? b2 : b1, ascending ? b1 : b2, op, between);
  solve_right(ascending ? b2 : b1, ascending ? r22 : r11, triangle, op, diagonal);
}

#define TRISWEEP_INSTANTIATE(T) template void solve_right<T>(View<T>, View<T>, Triangle, Op, Diagonal);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
