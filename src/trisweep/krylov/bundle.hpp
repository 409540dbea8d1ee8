#pragma once
// Bundles: columns of vectors stored row-major, so that a matrix is read once for all of them. A bundle is
// one column wide, or whole cache lines of line_rows<T> entries, of which any number of columns is used.

#include <algorithm>
#include <functional>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vector_rows.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/kernels/line.hpp"

namespace trisweep::krylov {

template <Scalar T>
Index whole_lines(Index columns) {
  constexpr Index line = kernels::line_rows<T>;
  return (columns + line - 1) / line * line;
}

// Width of bundles of `nrhs` column-major vectors, which are copied for every bundle.
template <Scalar T>
Index bundle_width(Index nrhs) {
  return nrhs == 1 ? 1 : kernels::line_rows<T>;
}

// Width of bundles of x.
template <Scalar T>
Index bundle_width(Vectors<const T> x) {
  return bundle_width<T>(x.cols);
}
template <Scalar T>
Index bundle_width(VectorRows<const T> x) {
  constexpr Index most = 16;  // lines
  return x.ld == 1 ? 1 : std::min(most * kernels::line_rows<T>, whole_lines<T>(x.cols));
}

// Consecutive rows of a bundle, each of `width` values, as one cache line of every column.
template <Scalar T>
kernels::LineRows<T> line_of(T* rows, Offset width, Index nrhs, RealOf<T> factor) {
  kernels::LineRows<T> line{.row = {}, .factor = {}, .nrhs = nrhs};
  for (Index i = 0; i < kernels::line_rows<T>; ++i) {
    line.row[i] = rows + i * width;
    line.factor[i] = factor;
  }
  return line;
}

// Calls line(i) for each full cache line of the part's rows, then row(i) for the remaining rows.
template <Scalar T, class Line, class Row>
void for_each_line(ThreadPool::Part part, const Line& line, const Row& row) {
  std::size_t i = part.begin;
  for (; i + kernels::line_rows<T> <= part.end; i += kernels::line_rows<T>) line(i);
  for (; i < part.end; ++i) row(i);
}

// rows(i, c) = x(i, c) for the part's rows i. `rows`: of the whole vector.
template <Scalar T>
void to_rows(Vectors<const T> x, ThreadPool::Part part, Index width, T* rows) {
  if (width == 1) {
    std::copy(x.data + part.begin, x.data + part.end, rows + part.begin);
    return;
  }
  for_each_line<T>(
      part,
      [&](std::size_t i) {
        kernels::load_line(x.data + i, x.ld, line_of(rows + i * usize(width), width, x.cols, RealOf<T>(1)));
      },
      [&](std::size_t i) {
        for (Index c = 0; c < x.cols; ++c) rows[i * usize(width) + usize(c)] = x.data[i + usize(c * x.ld)];
      });
}

// Copies the part's rows of `from` to consecutive rows from `to` on.
template <Scalar T>
void copy_rows(VectorRows<const T> from, ThreadPool::Part part, T* to, Offset ld) {
  if (from.ld == from.cols && ld == from.cols) {
    std::copy(from.row(part.begin), from.row(part.end), to);
    return;
  }
  for (std::size_t i = part.begin; i < part.end; ++i, to += ld) std::copy_n(from.row(i), from.cols, to);
}

template <Scalar T>
void to_rows(VectorRows<const T> x, ThreadPool::Part part, Index width, T* rows) {
  copy_rows(x, part, rows + part.begin * usize(width), width);
}

// Returns the part's rows of x, row-major: those of a single vector in place, others copied to `room`,
// `width` wide, where columns beyond those of x are zero.
template <Scalar T>
VectorRows<const T> rows_of(Vectors<const T> x, ThreadPool::Part part, Index width, T* room) {
  const auto rows = static_cast<Index>(part.end - part.begin);
  x.data += part.begin;
  if (width == 1) return {x.data, rows, 1, 1};
  if (x.cols < width) std::fill_n(room, usize(rows) * usize(width), T{});
  to_rows(x, {0, usize(rows)}, width, room);
  return {room, rows, x.cols, width};
}
template <Scalar T>
VectorRows<const T> rows_of(VectorRows<const T> x, ThreadPool::Part part, Index, T*) {
  return {x.row(part.begin), static_cast<Index>(part.end - part.begin), x.cols, x.ld};
}

// to(i, c) = rows(i - part.begin, c) for the part's rows i.
template <Scalar T>
void from_rows(VectorRows<T> rows, ThreadPool::Part part, Vectors<T> to) {
  if (rows.ld == 1) {
    std::copy_n(rows.data, part.end - part.begin, to.data + part.begin);
    return;
  }
  const auto row = [&](std::size_t i) { return rows.row(i - part.begin); };
  for_each_line<T>(
      part,
      [&](std::size_t i) {
        kernels::store_line(to.data + i, to.ld, line_of(row(i), rows.ld, to.cols, RealOf<T>(1)));
      },
      [&](std::size_t i) {
        for (Index c = 0; c < to.cols; ++c) to.data[i + usize(c * to.ld)] = row(i)[c];
      });
}
template <Scalar T>
void from_rows(VectorRows<T> rows, ThreadPool::Part part, VectorRows<T> to) {
  copy_rows<T>(rows, {0, part.end - part.begin}, to.row(part.begin), to.ld);
}

}  // namespace trisweep::krylov
