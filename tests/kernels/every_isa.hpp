#pragma once

#include "support/every_isa.hpp"
#include "trisweep/kernels/products.hpp"

namespace trisweep::kernels {

// Calls visit(name, kernels) for the kernels of every instruction set that this processor has: those of
// panels in storage S, and those of rows.
template <class S, Scalar T, class Visit>
void for_each_panel_isa(const Visit& visit) {
#define TRISWEEP_VISIT(isa) TRISWEEP_VISIT_ISA(isa, visit, panel_kernels<S, T>())
  TRISWEEP_FOR_EACH_ISA(TRISWEEP_VISIT)
#undef TRISWEEP_VISIT
}
template <Scalar T, class Visit>
void for_each_row_isa(const Visit& visit) {
#define TRISWEEP_VISIT(isa) TRISWEEP_VISIT_ISA(isa, visit, row_kernels<T>())
  TRISWEEP_FOR_EACH_ISA(TRISWEEP_VISIT)
#undef TRISWEEP_VISIT
}

}  // namespace trisweep::kernels
