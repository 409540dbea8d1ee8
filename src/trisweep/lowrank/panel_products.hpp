#pragma once
// Products with packed panels (number_format.hpp), whose numbers are unpacked in registers.
// panel_products.cpp is compiled once for each instruction set; panel_products() returns the best for this
// processor.
//
// The order of sums depends only on the panel and the direction; that of a row of `add` only on the columns
// and the direction.

#include <cstddef>

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::lowrank {

// A product with rows [first, first + rows) of the panel and `nrhs` vectors: source and target begin at the
// first of these rows, or at the first column.
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
  bool backward = false;  // reads the panel from its end to its beginning, as a backward sweep does
};

template <Scalar T>
struct PanelProducts {
  void (*add)(const PanelProduct<T>&);             // rows += P columns
  void (*add_transposed)(const PanelProduct<T>&);  // columns += P^T rows
  // Unpacks the panel into slabs (core/slabs.hpp), for many products with it in a row.
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
