#pragma once

#include "support/every_isa.hpp"
#include "trisweep/kernels/products.hpp"

namespace trisweep::kernels {

// Calls visit(name, products) for the products of every instruction set that this processor has.
template <Scalar T, class Visit>
void for_each_isa(const Visit& visit) {
#define TRISWEEP_VISIT(isa) TRISWEEP_VISIT_ISA(isa, products<T>(), visit)
  TRISWEEP_FOR_EACH_ISA(TRISWEEP_VISIT)
#undef TRISWEEP_VISIT
}

}  // namespace trisweep::kernels
