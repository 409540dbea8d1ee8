#pragma once
// Moves between the caller's vectors and work rows (row-major), as many rows at a time as share a cache line
// of a column: the permutation pass of a solve, which with many right-hand sides touches as many bytes as the
// sweeps. The caller's vectors are column-major or row-major.

#include "trisweep/core/types.hpp"

namespace trisweep::kernels {

// Number of rows that share a cache line of a column, so that each line is fetched once, however far apart
// columns are.
template <Scalar T>
inline constexpr int line_rows = 64 / static_cast<int>(sizeof(T));

// The work rows of consecutive entries of a column.
template <Scalar T>
struct LineRows {
  T* row[line_rows<T>];  // nrhs each
  RealOf<T> factor[line_rows<T>];
  Index nrhs;
};

// rows.row[i][r] = rows.factor[i] column[i + r ld].
template <Scalar T>
void load_line(const T* column, Offset ld, const LineRows<T>& rows);

// column[i + r ld] = rows.factor[i] rows.row[i][r].
template <Scalar T>
void store_line(T* column, Offset ld, const LineRows<T>& rows);

// rows.row[i][r] = rows.factor[i] row[i ld + r].
template <Scalar T>
void load_rows(const T* row, Offset ld, const LineRows<T>& rows);

// row[i ld + r] = rows.factor[i] rows.row[i][r]; += if `adds`.
template <Scalar T>
void store_rows(T* row, Offset ld, const LineRows<T>& rows, bool adds);

}  // namespace trisweep::kernels
