#pragma once
// The products of sparse_product.hpp. Included only by what is compiled once for each instruction set.

#include <algorithm>
#include <array>

#include "trisweep/kernels/sparse_product.hpp"
#include "trisweep/kernels/strip.hpp"

namespace trisweep::kernels {

// What is added up along a row.
enum class Terms {
  products,   // a(i, j) x[j]: a complex entry in two sums, by its real and by its imaginary part
  magnitudes  // |a(i, j)| |x[j]|: of real and imaginary parts of x apart
};

template <Terms terms, Scalar T>
inline constexpr int row_sums = is_complex<T>&& terms == Terms::products ? 2 : 1;

template <class V>
TRISWEEP_INLINE V magnitude(const V& v) {
  return v < 0 ? -v : v;
}

// What x is multiplied by in each of the sums.
template <Terms terms, Scalar T>
TRISWEEP_INLINE std::array<RealOf<T>, row_sums<terms, T>> weights_of(const RealOf<T>* entry, RealOf<T> sign) {
  if constexpr (terms == Terms::products) {
    if constexpr (is_complex<T>) return {entry[0], sign * entry[1]};
    return {entry[0]};
  } else {
    if constexpr (is_complex<T>) return {magnitude(entry[0]) + magnitude(entry[1])};
    return {magnitude(entry[0])};
  }
}

// Brings together what belongs to a complex number, in neighbouring lanes of `width`; `turned` is the second
// sum.
template <Terms terms, class R>
TRISWEEP_INLINE void join_parts(R* to, const R* turned, int width) {
  for (int k = 0; k < width; k += 2) {
    if constexpr (terms == Terms::products) {
      to[k] -= turned[k + 1];
      to[k + 1] += turned[k];
    } else {
      to[k] += to[k + 1];
      to[k + 1] = 0;
    }
  }
}

// Adds the others to the first.
template <class V, int chains, int sums, int count>
TRISWEEP_INLINE void join_chains(V (&sum)[chains][sums][count]) {
#pragma GCC unroll 8
  for (int c = chains - 1; c > 0; --c) {
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
#pragma GCC unroll 2
      for (int s = 0; s < sums; ++s) sum[c / 2][s][k] += sum[c][s][k];
    }
  }
}

// Rows of x and of the product are `bytes` wide.
template <Terms terms, int bytes, Scalar T>
TRISWEEP_INLINE void sum_rows(const SparseRows<T>& a, const T* x, T* product) {
  using R = RealOf<T>;
  using V = Vector<R, std::min(bytes, vector_bytes)>;
  constexpr int count = bytes / static_cast<int>(sizeof(V));
  constexpr int step = static_cast<int>(sizeof(V) / sizeof(R));
  constexpr int width = bytes / static_cast<int>(sizeof(R));
  constexpr int sums = row_sums<terms, T>;
  // Sums of every so many-th entry, because each addition waits for the one before; and roundings add up
  // less.
  constexpr int chains = std::max(1, 8 / (count * sums)), few = std::max(1, chains / 2);
  const R sign = a.conjugate ? R(-1) : R(1);
  for (Index i = 0; i < a.rows; ++i) {
    V sum[chains][sums][count] = {};
    const auto add = [&](Offset p, V(&to)[sums][count]) __attribute__((always_inline)) {
      const auto weight = weights_of<terms, T>(reals(a.value + p), sign);
      const R* const row = reals(x) + usize(a.col[p]) * usize(width);
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) {
        V v = load<V>(row + k * step);
        if constexpr (terms == Terms::magnitudes) v = magnitude(v);
#pragma GCC unroll 2
        for (int s = 0; s < sums; ++s) to[s][k] += weight[s] * v;
      }
    };
    const Offset end = a.row_ptr[i + 1];
    Offset p = a.row_ptr[i];
    for (; p + chains <= end; p += chains) {
#pragma GCC unroll 8
      for (int c = 0; c < chains; ++c) add(p + c, sum[c]);
    }
    for (; p + few <= end; p += few) {
#pragma GCC unroll 4
      for (int c = 0; c < few; ++c) add(p + c, sum[c]);
    }
    for (; p < end; ++p) add(p, sum[0]);
    join_chains(sum);
    R* const to = reals(product) + usize(i) * usize(width);
    R turned[width];
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      store(to + k * step, sum[0][0][k]);
      if constexpr (sums == 2) store(turned + k * step, sum[0][1][k]);
    }
    if constexpr (is_complex<T>) join_parts<terms>(to, turned, width);
  }
}

}  // namespace trisweep::kernels
