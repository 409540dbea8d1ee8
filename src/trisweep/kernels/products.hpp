#pragma once
// The products of panel_product.hpp and sparse_product.hpp and the moves of line.hpp, for each instruction
// set. products.cpp is compiled once for each of them; panel_product.cpp selects the best one that the
// processor supports.

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/kernels/line.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/kernels/sparse_product.hpp"

namespace trisweep::kernels {

// A panel whose rows are row position[i] of `rows`, or (without positions) row i.
template <Scalar T>
struct Product {
  const Panel<T>& panel;
  T* rows;
  T* side;     // width rows: the source of a scatter, the target of a gather
  T* scratch;  // as Work::scratch
  Index nrhs;
};

// Products with panels of one storage.
template <Scalar T>
struct PanelKernels {
  void (*scatter)(const Product<T>&);   // rows -= P side
  void (*gather)(const Product<T>&);    // side -= P^T rows
  void (*multiply)(const Product<T>&);  // rows = P side, without positions
};

// Operations on work rows and on sparse rows.
template <Scalar T>
struct RowKernels {
  void (*load)(const T* column, Offset ld, const LineRows<T>&);
  void (*store)(T* column, Offset ld, const LineRows<T>&);
  void (*load_rows)(const T* row, Offset ld, const LineRows<T>&);
  void (*store_rows)(T* row, Offset ld, const LineRows<T>&, bool adds);
  void (*sparse)(const SparseRows<T>&, const RowProducts<T>&);
  void (*measure)(const ResidualRows<T>&, ResidualMaxima<T>*);
};

// diagonal_product() of panel_product.hpp, by these kernels.
template <Scalar T>
void diagonal_product_by(const PanelKernels<T>& kernels, Panel<T> inverse, Op op, Index at,
                         const Work<T>& work);

#define TRISWEEP_DECLARE(isa)      \
  namespace isa {                  \
  template <class S, Scalar T>     \
  PanelKernels<T> panel_kernels(); \
  template <Scalar T>              \
  RowKernels<T> row_kernels();     \
  }
TRISWEEP_FOR_EACH_ISA(TRISWEEP_DECLARE)
#undef TRISWEEP_DECLARE

}  // namespace trisweep::kernels
