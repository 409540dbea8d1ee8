#pragma once
// Products with packed panels (number_format.hpp), as each instruction set has them: numbers are widened in
// registers on the way. panel_products.cpp is compiled once for each; panel_products() takes the best that
// the processor has.
//
// Sums are formed in an order that depends on the panel and the direction alone; that of a row of `add` on
// the columns and the direction alone.

#include <cstddef>

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::lowrank {

// With rows [first, first + rows) of the panel and `nrhs` vectors: source and target begin at the first of
// these rows, or at the first column.
template <Scalar T>
struct PanelProduct {
  const std::byte* panel;
  Index first;
  Index rows;
  const T* source;
  Offset source_ld;
  T* target;
  Offset target_ld;
  Index nrhs;
  bool backward = false;  // reads the panel from its end to its beginning, as a sweep does that goes back
};

template <Scalar T>
struct PanelProducts {
  void (*add)(const PanelProduct<T>&);             // rows += P columns
  void (*add_transposed)(const PanelProduct<T>&);  // columns += P^T rows
  // The panel as numbers, in slabs (core/slabs.hpp): for many products with it in a row.
  void (*unpack)(const std::byte* panel, T* slabs);
};

template <Scalar T>
const PanelProducts<T>& panel_products();

#define TRISWEEP_DECLARE(isa)            \
  namespace isa {                        \
  template <Scalar T>                    \
  PanelProducts<T> products_of_panels(); \
  }
TRISWEEP_FOR_EACH_ISA(TRISWEEP_DECLARE)
#undef TRISWEEP_DECLARE

}  // namespace trisweep::lowrank
