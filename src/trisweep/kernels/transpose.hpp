#pragma once
// The moves of line.hpp, with as many columns at a time as a vector has lanes: whole vectors are read and
// written, and transposed in registers. Included only in sources that are compiled once for each instruction
// set.

#include "trisweep/core/vector.hpp"
#include "trisweep/kernels/line.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {

// Transposes (a, b) as 2 x 2 blocks of `d` lanes: one of log2(lanes) steps of a transposition.
template <int d, class V, std::size_t... i>
TRISWEEP_INLINE void exchange_blocks(V& a, V& b, std::index_sequence<i...>) {
  constexpr std::size_t lanes = sizeof...(i);
  const V first = __builtin_shufflevector(a, b, ((i & d) != 0 ? lanes + i - d : i)...);
  const V second = __builtin_shufflevector(a, b, ((i & d) != 0 ? lanes + i : i + d)...);
  a = first;
  b = second;
}

// Lane j of v[i] becomes lane i of v[j].
template <class R, int d = 1>
TRISWEEP_INLINE void transpose(Vector<R>* v) {
  if constexpr (d < lanes<R>) {
#pragma GCC unroll 16
    for (int i = 0; i < lanes<R>; ++i) {
      if ((i & d) == 0) exchange_blocks<d>(v[i], v[i + d], std::make_index_sequence<lanes<R>>());
    }
    transpose<R, 2 * d>(v);
  }
}

// Calls block(first row, first column) for blocks of lanes x lanes, then entry(row, column) for the rest.
// Lines of the rows after the next are prefetched: there are too many columns, too far apart, for the
// hardware to detect a pattern.
template <class T, class Block, class Entry>
TRISWEEP_INLINE void for_each_block(const T* column, Offset ld, Index nrhs, const Block& block,
                                    const Entry& entry) {
  constexpr int rows = line_rows<std::remove_const_t<T>>;
  constexpr bool reads = std::is_const_v<T>;
  Index r = 0;
  if constexpr (!is_complex<std::remove_const_t<T>>) {
    constexpr int size = lanes<std::remove_const_t<T>>;
    for (; r + size <= nrhs; r += size) {
#pragma GCC unroll 16
      for (int j = 0; j < size; ++j) __builtin_prefetch(column + (r + j) * ld + 2 * rows, !reads);
      for (int i = 0; i < rows; i += size) block(i, r);
    }
  }
  for (; r < nrhs; ++r) {
    __builtin_prefetch(column + r * ld + 2 * rows, !reads);
    for (int i = 0; i < rows; ++i) entry(i, r);
  }
}

template <Scalar T>
TRISWEEP_INLINE void load_blocks(const T* column, Offset ld, const LineRows<T>& rows) {
  using V = Vector<RealOf<T>>;
  constexpr int size = lanes<RealOf<T>>;
  for_each_block<const T>(
      column, ld, rows.nrhs,
      [&](auto i, Index r) __attribute__((always_inline)) {
        const V factor = load<V>(rows.factor + i);
        V v[size];
#pragma GCC unroll 16
        for (int j = 0; j < size; ++j) v[j] = load<V>(column + (r + j) * ld + i) * factor;
        transpose<RealOf<T>>(v);
#pragma GCC unroll 16
        for (int j = 0; j < size; ++j) store(rows.row[i + j] + r, v[j]);
      },
      [&](int i, Index r)
          __attribute__((always_inline)) { rows.row[i][r] = column[r * ld + i] * rows.factor[i]; });
}

template <Scalar T>
TRISWEEP_INLINE void store_blocks(T* column, Offset ld, const LineRows<T>& rows) {
  using V = Vector<RealOf<T>>;
  constexpr int size = lanes<RealOf<T>>;
  for_each_block<T>(
      column, ld, rows.nrhs,
      [&](auto i, Index r) __attribute__((always_inline)) {
        const V factor = load<V>(rows.factor + i);
        V v[size];
#pragma GCC unroll 16
        for (int j = 0; j < size; ++j) v[j] = load<V>(rows.row[i + j] + r);
        transpose<RealOf<T>>(v);
#pragma GCC unroll 16
        for (int j = 0; j < size; ++j) store(column + (r + j) * ld + i, v[j] * factor);
      },
      [&](int i, Index r)
          __attribute__((always_inline)) { column[r * ld + i] = rows.row[i][r] * rows.factor[i]; });
}

// If both are row-major: to(i)[r] = change(to(i)[r], factor[i] from(i)[r]), in real numbers.
template <Scalar T, class From, class To, class Change>
TRISWEEP_INLINE void change_rows(const LineRows<T>& rows, const From& from, const To& to,
                                 const Change& change) {
  using R = RealOf<T>;
  constexpr std::size_t size = lanes<R>;
  const std::size_t count = usize(rows.nrhs) * (sizeof(T) / sizeof(R));
  for (int i = 0; i < line_rows<T>; ++i) {
    const R* const source = reinterpret_cast<const R*>(from(i));
    R* const target = reinterpret_cast<R*>(to(i));
    const R factor = rows.factor[i];
    std::size_t r = 0;
    for (; r + size <= count; r += size)
      store(target + r, change(load<Vector<R>>(target + r), load<Vector<R>>(source + r) * factor));
    for (; r < count; ++r) target[r] = change(target[r], source[r] * factor);
  }
}

}  // namespace trisweep::kernels::TRISWEEP_ISA
