#pragma once
// The products of sparse_product.hpp. Included only by what is compiled once for each instruction set.

#include <algorithm>

#include "trisweep/kernels/sparse_product.hpp"
#include "trisweep/kernels/strip.hpp"

namespace trisweep::kernels {

// Rows of x and of the product are `bytes` wide. A complex entry is multiplied in two sums, by its real and
// by its imaginary part, which come together at the end of the row.
template <int bytes, Scalar T>
TRISWEEP_INLINE void multiply_rows(const SparseRows<T>& a, const T* x, T* product) {
  using R = RealOf<T>;
  using V = Vector<R, std::min(bytes, vector_bytes)>;
  constexpr int count = bytes / static_cast<int>(sizeof(V));
  constexpr int step = static_cast<int>(sizeof(V) / sizeof(R));
  constexpr int width = bytes / static_cast<int>(sizeof(R));
  const R sign = a.conjugate ? R(-1) : R(1);
  for (Index i = 0; i < a.rows; ++i) {
    V real[count] = {}, imaginary[count] = {};
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      const R* const value = reals(a.value + p);
      const R* const row = reals(x) + usize(a.col[p]) * usize(width);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) {
        const V v = load<V>(row + k * step);
        real[k] += value[0] * v;
        if constexpr (is_complex<T>) imaginary[k] += sign * value[1] * v;
      }
    }
    R* const to = reals(product) + usize(i) * usize(width);
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) store(to + k * step, real[k]);
    if constexpr (is_complex<T>) {
      R turned[width];
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) store(turned + k * step, imaginary[k]);
      for (int k = 0; k < width; k += 2) {
        to[k] -= turned[k + 1];
        to[k + 1] += turned[k];
      }
    }
  }
}

template <class V>
TRISWEEP_INLINE V magnitude(const V& v) {
  return v < 0 ? -v : v;
}

// |re| + |im| is a sum over neighbouring lanes, taken at the end of the row.
template <int bytes, Scalar T>
TRISWEEP_INLINE void magnitudes_of_rows(const SparseRows<T>& a, const T* x, T* product) {
  using R = RealOf<T>;
  using V = Vector<R, std::min(bytes, vector_bytes)>;
  constexpr int count = bytes / static_cast<int>(sizeof(V));
  constexpr int step = static_cast<int>(sizeof(V) / sizeof(R));
  constexpr int width = bytes / static_cast<int>(sizeof(R));
  for (Index i = 0; i < a.rows; ++i) {
    V sum[count] = {};
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      const R* const value = reals(a.value + p);
      const R* const row = reals(x) + usize(a.col[p]) * usize(width);
      R weight = magnitude(value[0]);
      if constexpr (is_complex<T>) weight += magnitude(value[1]);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) sum[k] += weight * magnitude(load<V>(row + k * step));
    }
    R* const to = reals(product) + usize(i) * usize(width);
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) store(to + k * step, sum[k]);
    if constexpr (is_complex<T>) {
      for (int k = 0; k < width; k += 2) {
        to[k] += to[k + 1];
        to[k + 1] = 0;
      }
    }
  }
}

}  // namespace trisweep::kernels
