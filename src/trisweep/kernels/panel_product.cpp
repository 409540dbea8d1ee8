#include "trisweep/kernels/panel_product.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/kernels/products.hpp"

namespace trisweep::kernels {
namespace {

// Kernels for this processor.
template <Scalar T>
const RowKernels<T>& row_kernels() {
  static const RowKernels<T> best = TRISWEEP_BEST_ISA(row_kernels<T>)();
  return best;
}

}  // namespace

template <class S, Scalar T>
const PanelKernels<T>& panel_kernels() {
  static const PanelKernels<T> best = TRISWEEP_BEST_ISA(panel_kernels<S, T>)();
  return best;
}

template <Scalar T>
void scatter_product(const Panel<T>& panel, Index source, const Work<T>& work) {
  panel.value.kernels().scatter({panel, work.row, work.at(source), work.scratch, work.nrhs});
}

template <Scalar T>
void gather_product(const Panel<T>& panel, Index target, const Work<T>& work) {
  panel.value.kernels().gather({panel, work.row, work.at(target), work.scratch, work.nrhs});
}

template <Scalar T>
void diagonal_product_by(const PanelKernels<T>& kernels, Panel<T> inverse, Op op, Index at,
                         const Work<T>& work) {
  const std::size_t count = usize(inverse.width) * usize(work.nrhs);
  T* const row = work.at(at);
  T* const other = work.scratch;
  inverse.conjugate = op == Op::conjugate_transpose;
  if (op == Op::none) {
    kernels.multiply({inverse, other, row, other + count, work.nrhs});
    std::copy_n(other, count, row);
  } else {  // a gather subtracts: -(0 - op(D) row)
    std::fill_n(other, count, T{});
    kernels.gather({inverse, work.row, other, other + count, work.nrhs});
    std::transform(other, other + count, row, std::negate<>{});
  }
}

template <Scalar T>
void diagonal_product(Panel<T> inverse, Op op, Index at, const Work<T>& work) {
  diagonal_product_by(inverse.value.kernels(), inverse, op, at, work);
}

template <Scalar T>
void load_line(const T* column, Offset ld, const LineRows<T>& rows) {
  row_kernels<T>().load(column, ld, rows);
}

template <Scalar T>
void store_line(T* column, Offset ld, const LineRows<T>& rows) {
  row_kernels<T>().store(column, ld, rows);
}

template <Scalar T>
void load_rows(const T* row, Offset ld, const LineRows<T>& rows) {
  row_kernels<T>().load_rows(row, ld, rows);
}

template <Scalar T>
void store_rows(T* row, Offset ld, const LineRows<T>& rows, bool adds) {
  row_kernels<T>().store_rows(row, ld, rows, adds);
}

template <Scalar T>
void sparse_product(const SparseRows<T>& a, const RowProducts<T>& vectors) {
  row_kernels<T>().sparse(a, vectors);
}

template <Scalar T>
void measure_residual(const ResidualRows<T>& rows, ResidualMaxima<T>* maxima) {
  row_kernels<T>().measure(rows, maxima);
}

#define INSTANTIATE(T)                                                                            \
  template void scatter_product(const Panel<T>&, Index, const Work<T>&);                          \
  template void gather_product(const Panel<T>&, Index, const Work<T>&);                           \
  template void diagonal_product(Panel<T>, Op, Index, const Work<T>&);                            \
  template void diagonal_product_by(const PanelKernels<T>&, Panel<T>, Op, Index, const Work<T>&); \
  template void load_line(const T*, Offset, const LineRows<T>&);                                  \
  template void store_line(T*, Offset, const LineRows<T>&);                                       \
  template void load_rows(const T*, Offset, const LineRows<T>&);                                  \
  template void store_rows(T*, Offset, const LineRows<T>&, bool);                                 \
  template void sparse_product(const SparseRows<T>&, const RowProducts<T>&);                      \
  template void measure_residual(const ResidualRows<T>&, ResidualMaxima<T>*);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
#define INSTANTIATE_STORAGE(S, T) template const PanelKernels<T>& panel_kernels<S, T>();
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_STORAGE)

}  // namespace trisweep::kernels
