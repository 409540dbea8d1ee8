#include "trisweep/kernels/panel_product.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/kernels/products.hpp"

namespace trisweep::kernels {
namespace {

// Of this processor.
template <Scalar T>
const Products<T>& products() {
  static const Products<T> best = TRISWEEP_BEST_ISA(products<T>)();
  return best;
}

}  // namespace

template <Scalar T>
void scatter_product(const Panel<T>& panel, Index source, const Work<T>& work) {
  products<T>().scatter({panel, work.row, work.at(source), work.scratch, work.nrhs});
}

template <Scalar T>
void gather_product(const Panel<T>& panel, Index target, const Work<T>& work) {
  products<T>().gather({panel, work.row, work.at(target), work.scratch, work.nrhs});
}

template <Scalar T>
void diagonal_product_by(const Products<T>& products, Panel<T> inverse, Op op, Index at,
                         const Work<T>& work) {
  const std::size_t count = usize(inverse.width) * usize(work.nrhs);
  T* const row = work.at(at);
  T* const other = work.scratch;
  inverse.conjugate = op == Op::conjugate_transpose;
  if (op == Op::none) {
    products.multiply({inverse, other, row, other + count, work.nrhs});
    std::copy_n(other, count, row);
  } else {  // a gather subtracts: -(0 - op(D) row)
    std::fill_n(other, count, T{});
    products.gather({inverse, work.row, other, other + count, work.nrhs});
    std::transform(other, other + count, row, std::negate<>{});
  }
}

template <Scalar T>
void diagonal_product(Panel<T> inverse, Op op, Index at, const Work<T>& work) {
  diagonal_product_by(products<T>(), inverse, op, at, work);
}

template <Scalar T>
void load_line(const T* column, Offset ld, const LineRows<T>& rows) {
  products<T>().load(column, ld, rows);
}

template <Scalar T>
void store_line(T* column, Offset ld, const LineRows<T>& rows) {
  products<T>().store(column, ld, rows);
}

template <Scalar T>
void sparse_product(const SparseRows<T>& a, const T* x, T* product) {
  products<T>().sparse(a, x, product);
}

template <Scalar T>
void sparse_product_of_bundle(const SparseRows<T>& a, const T* x, T* product) {
  products<T>().sparse_bundle(a, x, product);
}

template <Scalar T>
void sparse_magnitudes(const SparseRows<T>& a, const T* x, T* product) {
  products<T>().magnitudes(a, x, product);
}

template <Scalar T>
void sparse_magnitudes_of_bundle(const SparseRows<T>& a, const T* x, T* product) {
  products<T>().magnitudes_bundle(a, x, product);
}

#define INSTANTIATE(T)                                                                        \
  template void scatter_product(const Panel<T>&, Index, const Work<T>&);                      \
  template void gather_product(const Panel<T>&, Index, const Work<T>&);                       \
  template void diagonal_product(Panel<T>, Op, Index, const Work<T>&);                        \
  template void diagonal_product_by(const Products<T>&, Panel<T>, Op, Index, const Work<T>&); \
  template void load_line(const T*, Offset, const LineRows<T>&);                              \
  template void store_line(T*, Offset, const LineRows<T>&);                                   \
  template void sparse_product(const SparseRows<T>&, const T*, T*);                           \
  template void sparse_product_of_bundle(const SparseRows<T>&, const T*, T*);                 \
  template void sparse_magnitudes(const SparseRows<T>&, const T*, T*);                        \
  template void sparse_magnitudes_of_bundle(const SparseRows<T>&, const T*, T*);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::kernels
