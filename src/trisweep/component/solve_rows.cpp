// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/component/solve_rows.hpp"

#include "trisweep/core/vector.hpp"

namespace trisweep::component::TRISWEEP_ISA {
namespace {

// Without the test for infinite parts that std::complex makes.
template <Scalar T>
TRISWEEP_INLINE T times(const T& a, const T& b) {
  if constexpr (is_complex<T>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}

// Sums of every fourth: an addition need not wait for the one before it.
template <Scalar T>
TRISWEEP_INLINE T dot(const T* value, const Index* col, Index count, const T* x) {
  T sum[4] = {};
  Index e = 0;
  for (; e + 4 <= count; e += 4) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sum[i] += times(value[e + i], x[col[e + i]]);
  }
  for (; e < count; ++e) sum[0] += times(value[e], x[col[e]]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

template <Scalar T>
void solve_one(const RowRange<T>& rows, const T* b, T* x) {
  const Index* col = rows.col;
  const T* value = rows.value;
  for (Index i = 0; i < rows.rows; ++i) {
    const Index count = rows.entries[i], unknown = rows.unknown[i];
    const T rest = b[unknown] - dot(value, col, count, x);
    x[unknown] = rows.diagonal == nullptr ? rest : rest / rows.diagonal[i];
    col += count;
    value += count;
  }
}

template <Scalar T, int columns>
void solve_several(const RowRange<T>& rows, T* x) {
  const Index* col = rows.col;
  const T* value = rows.value;
  for (Index i = 0; i < rows.rows; ++i) {
    T* const mine = x + usize(rows.unknown[i]) * columns;
    T sum[columns];
    for (int c = 0; c < columns; ++c) sum[c] = mine[c];
    for (Index e = 0; e < rows.entries[i]; ++e) {
      const T* const other = x + usize(col[e]) * columns;
      for (int c = 0; c < columns; ++c) sum[c] -= times(value[e], other[c]);
    }
    for (int c = 0; c < columns; ++c) mine[c] = rows.diagonal == nullptr ? sum[c] : sum[c] / rows.diagonal[i];
    col += rows.entries[i];
    value += rows.entries[i];
  }
}

#define INSTANTIATE(T)                                                  \
  template void solve_one(const RowRange<T>&, const T*, T*);            \
  template void solve_several<T, few_columns>(const RowRange<T>&, T*);  \
  template void solve_several<T, some_columns>(const RowRange<T>&, T*); \
  template void solve_several<T, many_columns>(const RowRange<T>&, T*);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::component::TRISWEEP_ISA
