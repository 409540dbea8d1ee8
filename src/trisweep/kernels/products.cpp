// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/kernels/products.hpp"

#include "trisweep/kernels/any_columns.hpp"
#include "trisweep/kernels/sparse_rows.hpp"
#include "trisweep/kernels/transpose.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {
namespace {

template <class S, Rows mode, Scalar T>
void multiply(const Product<T>& p) {
  multiply_by_columns<S, mode>(p);
}

template <class S, Scalar T>
void gather(const Product<T>& p) {
  gather_by_columns<S>(p);
}

template <Scalar T>
void load_line(const T* column, Offset ld, const LineRows<T>& rows) {
  load_blocks(column, ld, rows);
}

template <Scalar T>
void store_line(T* column, Offset ld, const LineRows<T>& rows) {
  store_blocks(column, ld, rows);
}

template <Scalar T>
void load_rows(const T* row, Offset ld, const LineRows<T>& rows) {
  change_rows(
      rows, [&](int i) { return row + i * ld; }, [&](int i) { return rows.row[i]; },
      [](const auto&, const auto& moved) { return moved; });
}

template <Scalar T>
void store_rows(T* row, Offset ld, const LineRows<T>& rows, bool adds) {
  const auto from = [&](int i) { return rows.row[i]; };
  const auto to = [&](int i) { return row + i * ld; };
  if (adds) {
    change_rows(rows, from, to, [](const auto& before, const auto& moved) { return before + moved; });
  } else {
    change_rows(rows, from, to, [](const auto&, const auto& moved) { return moved; });
  }
}

template <Scalar T>
void sparse(const SparseRows<T>& a, const RowProducts<T>& vectors) {
  vectors.magnitude == nullptr ? sum_rows<false>(a, vectors) : sum_rows<true>(a, vectors);
}

template <Scalar T>
void measure(const ResidualRows<T>& rows, ResidualMaxima<T>* maxima) {
  take_maxima(rows, maxima);
}

}  // namespace

template <class S, Scalar T>
PanelKernels<T> panel_kernels() {
  return {.scatter = multiply<S, Rows::subtract, T>,
          .gather = gather<S, T>,
          .multiply = multiply<S, Rows::assign, T>};
}

template <Scalar T>
RowKernels<T> row_kernels() {
  return {.load = load_line<T>,
          .store = store_line<T>,
          .load_rows = load_rows<T>,
          .store_rows = store_rows<T>,
          .sparse = sparse<T>,
          .measure = measure<T>};
}

#define INSTANTIATE_PANEL_KERNELS(S, T) template PanelKernels<T> panel_kernels<S, T>();
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_PANEL_KERNELS)
#define INSTANTIATE_ROW_KERNELS(T) template RowKernels<T> row_kernels<T>();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE_ROW_KERNELS)

}  // namespace trisweep::kernels::TRISWEEP_ISA
