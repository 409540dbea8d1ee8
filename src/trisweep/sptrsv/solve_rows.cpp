// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/sptrsv/solve_rows.hpp"

#include "trisweep/core/vector.hpp"

namespace trisweep::sptrsv::TRISWEEP_ISA {
namespace {

// Complex product without std::complex's test for infinite parts.
template <Scalar T>
TRISWEEP_INLINE T times(const T& a, const T& b) {
  if constexpr (is_complex<T>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}

// b minus the products of a row. Long rows use four partial sums, so that additions do not wait for each
// other. The last columns, whose unknowns are solved last, come last, so that nothing else waits for them.
template <Scalar T>
TRISWEEP_INLINE T rest_of(T b, const T* value, const Index* col, Index count, const T* x) {
  Index e = 0;
  if (count >= 8) {
    T sum[4] = {b};
    for (; e + 8 <= count; e += 4) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) sum[i] -= times(value[e + i], x[col[e + i]]);
    }
    b = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  for (; e < count; ++e) b -= times(value[e], x[col[e]]);
  return b;
}

template <Scalar T>
TRISWEEP_INLINE T by_diagonal(const T& rest, const RowRange<T>& rows, Index row) {
  if (rows.diagonal == nullptr) return rest;
  return rows.inverted ? times(rest, rows.diagonal[row]) : rest / rows.diagonal[row];
}

}  // namespace

template <Scalar T>
void solve_one(const RowRange<T>& rows, const T* b, T* x) {
  const Index* col = rows.col;
  const T* value = rows.value;
  for (Index i = 0; i < rows.rows; ++i) {
    const auto [unknown, count] = rows.row[i];
    x[unknown] = by_diagonal(rest_of(b[unknown], value, col, count, x), rows, i);
    col += count;
    value += count;
  }
}

template <Scalar T, int columns>
void solve_several(const RowRange<T>& rows, T* x) {
  const Index* col = rows.col;
  const T* value = rows.value;
  for (Index i = 0; i < rows.rows; ++i) {
    T* const mine = x + usize(rows.row[i].unknown) * columns;
    T sum[columns];
    for (int c = 0; c < columns; ++c) sum[c] = mine[c];
    for (Index e = 0; e < rows.row[i].entries; ++e) {
      const T* const other = x + usize(col[e]) * columns;
      for (int c = 0; c < columns; ++c) sum[c] -= times(value[e], other[c]);
    }
    for (int c = 0; c < columns; ++c) mine[c] = by_diagonal(sum[c], rows, i);
    col += rows.row[i].entries;
    value += rows.row[i].entries;
  }
}

#define INSTANTIATE(T)                                                  \
  template void solve_one(const RowRange<T>&, const T*, T*);            \
  template void solve_several<T, few_columns>(const RowRange<T>&, T*);  \
  template void solve_several<T, some_columns>(const RowRange<T>&, T*); \
  template void solve_several<T, many_columns>(const RowRange<T>&, T*);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv::TRISWEEP_ISA
