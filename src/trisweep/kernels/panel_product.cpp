#include "trisweep/kernels/panel_product.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/kernels/matrix_vector.hpp"
#include "trisweep/numeric/blas.hpp"

namespace trisweep::kernels {
namespace {

using numeric::subtract_product;
using numeric::Target;
using numeric::View;

// BLAS reads through pointers to mutable; the panels are not written.
template <Scalar T>
View<T> view(const T* value, Index rows, Index cols, Index ld) {
  return {const_cast<T*>(value), rows, cols, ld};
}

template <Scalar T>
void conjugate_all(T* value, std::size_t count) {
  if constexpr (is_complex<T>)
    std::transform(value, value + count, value, [](const T& v) { return std::conj(v); });
}

template <Scalar T>
Block<T> block_of(const Panel<T>& panel) {
  return {panel.value, panel.height, panel.width, panel.ld, panel.conjugate};
}

// C -= A conj(B): BLAS conjugates only what it transposes, so A and C are conjugated around the plain
// product.
template <Scalar T>
void subtract_conjugate_product(View<T> c, View<T> a, View<T> b) {
  conjugate_all(a.data, usize(a.rows) * usize(a.cols));
  conjugate_all(c.data, usize(c.rows) * usize(c.cols));
  subtract_product(c, a, Op::none, b);
  conjugate_all(c.data, usize(c.rows) * usize(c.cols));
}

}  // namespace

template <Scalar T>
void scatter_product(const Panel<T>& panel, Index source, const Work<T>& work) {
  const Index nrhs = work.nrhs;
  if (nrhs == 1) {
    std::fill_n(work.scratch, panel.height, T{});
    subtract_panel(block_of(panel), work.at(source), work.scratch);
    for (Index i = 0; i < panel.height; ++i) work.row[panel.position[i]] += work.scratch[i];
    return;
  }
  // Row-major (rows x nrhs) is column-major (nrhs x rows): scratch^T = -source^T panel^T.
  const View<T> result{work.scratch, nrhs, panel.height, nrhs};
  subtract_product(result, View<T>{work.at(source), nrhs, panel.width, nrhs},
                   panel.conjugate ? Op::conjugate_transpose : Op::transpose,
                   view(panel.value, panel.height, panel.width, panel.ld), Target::overwrite);
  for (Index i = 0; i < panel.height; ++i) {
    T* row = work.at(panel.position[i]);
    const T* add = result.column(i);
    for (Index r = 0; r < nrhs; ++r) row[r] += add[r];
  }
}

template <Scalar T>
void gather_product(const Panel<T>& panel, Index target, const Work<T>& work) {
  const Index nrhs = work.nrhs;
  if (nrhs == 1) {
    for (Index i = 0; i < panel.height; ++i) work.scratch[i] = work.row[panel.position[i]];
    subtract_transposed_panel(block_of(panel), work.scratch, work.at(target));
    return;
  }
  for (Index i = 0; i < panel.height; ++i) {
    std::copy_n(work.at(panel.position[i]), nrhs, work.scratch + usize(i) * usize(nrhs));
  }
  const View<T> gathered{work.scratch, nrhs, panel.height, nrhs};
  const View<T> result{work.at(target), nrhs, panel.width, nrhs};
  const View<T> value = view(panel.value, panel.height, panel.width, panel.ld);
  if (is_complex<T> && panel.conjugate) {
    subtract_conjugate_product(result, gathered, value);
  } else {
    subtract_product(result, gathered, Op::none, value);
  }
}

template <Scalar T>
void diagonal_product(const T* inverse, Index width, Op op, Index at, const Work<T>& work) {
  const Index nrhs = work.nrhs;
  const std::size_t count = usize(width) * usize(nrhs);
  T* const row = work.at(at);
  const bool conjugated = is_complex<T> && op == Op::conjugate_transpose;
  // All products subtract: row = 0 - op(D) (-row).
  std::transform(row, row + count, work.scratch, std::negate<>{});
  std::fill_n(row, count, T{});
  if (nrhs == 1) {
    const Block<T> d{inverse, width, width, width, conjugated};
    if (op == Op::none) return subtract_panel(d, work.scratch, row);
    return subtract_transposed_panel(d, work.scratch, row);
  }
  const View<T> source{work.scratch, nrhs, width, nrhs}, result{row, nrhs, width, nrhs};
  const View<T> block = view(inverse, width, width, width);
  if (conjugated) return subtract_conjugate_product(result, source, block);
  subtract_product(result, source, op == Op::none ? Op::transpose : Op::none, block);
}

#define INSTANTIATE(T)                                                   \
  template void scatter_product(const Panel<T>&, Index, const Work<T>&); \
  template void gather_product(const Panel<T>&, Index, const Work<T>&);  \
  template void diagonal_product(const T*, Index, Op, Index, const Work<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::kernels
