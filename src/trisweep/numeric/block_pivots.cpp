#include "trisweep/numeric/block_pivots.hpp"

#include <algorithm>

namespace trisweep::numeric {
namespace {

template <Scalar T>
void scale_column(View<T> x, Index k, T factor) {
  T* const column = x.column(k);
  for (Index i = 0; i < x.rows; ++i) column[i] *= factor;
}

// Columns k and k + 1 times a matrix of order 2.
template <Scalar T>
void multiply_pair(View<T> x, Index k, T m00, T m10, T m01, T m11) {
  T *const first = x.column(k), *const second = x.column(k + 1);
  for (Index i = 0; i < x.rows; ++i) {
    const T a = first[i], b = second[i];
    first[i] = a * m00 + b * m10;
    second[i] = a * m01 + b * m11;
  }
}

}  // namespace

template <Scalar T>
void multiply_by_pivots(View<T> x, const BlockPivots<T>& b) {
  for (Index k = 0; k < b.size(); ++k) {
    if (!b.is_pair(k)) {
      scale_column(x, k, b.diagonal(k, k));
      continue;
    }
    const T below = b.below[usize(k)];
    multiply_pair(x, k, b.diagonal(k, k), below, mirrored(b.op, below), b.diagonal(k + 1, k + 1));
    ++k;
  }
}

template <Scalar T>
void divide_by_pivots(View<T> x, const BlockPivots<T>& b) {
  for (Index k = 0; k < b.size(); ++k) {
    if (!b.is_pair(k)) {
      scale_column(x, k, T(1) / b.diagonal(k, k));
      continue;
    }
    const T reciprocal = T(1) / b.determinant(k), below = b.below[usize(k)];
    multiply_pair(x, k, b.diagonal(k + 1, k + 1) * reciprocal, -below * reciprocal,
                  -mirrored(b.op, below) * reciprocal, b.diagonal(k, k) * reciprocal);
    ++k;
  }
}

#define TRISWEEP_INSTANTIATE(T)                                        \
  template void multiply_by_pivots<T>(View<T>, const BlockPivots<T>&); \
  template void divide_by_pivots<T>(View<T>, const BlockPivots<T>&);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
