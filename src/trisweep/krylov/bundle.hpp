#pragma once
// Bundles: a few columns of right-hand sides whose entries of a row are neighbours, so that a matrix is read
// once for all of them. A bundle is row-major and `width` wide: 1, or line_rows<T> with any number of columns
// up to that.

#include <algorithm>
#include <functional>

#include "trisweep/core/crew.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/kernels/line.hpp"

namespace trisweep::krylov {

// Of that many columns.
template <Scalar T>
Index bundle_width(Index nrhs) {
  return nrhs == 1 ? 1 : kernels::line_rows<T>;
}

// The `width` numbers of consecutive rows of a bundle, as a line of its columns.
template <Scalar T>
kernels::LineRows<T> line_of(T* rows, Index width, Index nrhs, RealOf<T> factor) {
  kernels::LineRows<T> line{.row = {}, .factor = {}, .nrhs = nrhs};
  for (Index i = 0; i < kernels::line_rows<T>; ++i) {
    line.row[i] = rows + i * width;
    line.factor[i] = factor;
  }
  return line;
}

// Calls line(i) for lines of the part's rows, then row(i) for the rows that are left.
template <Scalar T, class Line, class Row>
void for_each_line(Crew::Part part, const Line& line, const Row& row) {
  std::size_t i = part.begin;
  for (; i + kernels::line_rows<T> <= part.end; i += kernels::line_rows<T>) line(i);
  for (; i < part.end; ++i) row(i);
}

// rows(i, c) = x(i, c) for the part's rows i. `rows`: of the whole vector.
template <Scalar T>
void to_rows(Vectors<const T> x, Crew::Part part, Index width, T* rows) {
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

// The part's rows of x, row-major: those of a single vector where they are, others in `room`, where columns
// that x does not have are zero.
template <Scalar T>
const T* rows_of(Vectors<const T> x, Crew::Part part, Index width, T* room) {
  if (width == 1) return x.data + part.begin;
  x.data += part.begin;
  if (x.cols < width) std::fill_n(room, (part.end - part.begin) * usize(width), T{});
  to_rows(x, {0, part.end - part.begin}, width, room);
  return room;
}

// to(i, c) = rows(i - part.begin, c) for the part's rows i.
template <Scalar T>
void from_rows(T* rows, Crew::Part part, Index width, Vectors<T> to) {
  if (width == 1) {
    std::copy(rows, rows + (part.end - part.begin), to.data + part.begin);
    return;
  }
  const auto row = [&](std::size_t i) { return rows + (i - part.begin) * usize(width); };
  for_each_line<T>(
      part,
      [&](std::size_t i) {
        kernels::store_line(to.data + i, to.ld, line_of(row(i), width, to.cols, RealOf<T>(1)));
      },
      [&](std::size_t i) {
        for (Index c = 0; c < to.cols; ++c) to.data[i + usize(c * to.ld)] = row(i)[c];
      });
}

}  // namespace trisweep::krylov
