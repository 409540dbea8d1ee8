#pragma once
// Products with any number of right-hand sides, of panels in storage S. Included only in sources that are
// compiled once for each instruction set.

#include "trisweep/kernels/few_columns.hpp"
#include "trisweep/kernels/many_columns.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {

// Calls few(n) for n real right-hand sides, a constant, or many() for more than few_columns.
template <Scalar T, class Few, class Many>
TRISWEEP_INLINE void by_columns(const Product<T>& p, const Few& few, const Many& many) {
  if (p.panel.width == 0) return;
  switch (p.nrhs * parts<T>) {
    case 1:
      if constexpr (!is_complex<T>) return few(std::integral_constant<int, 1>());
      break;
    case 2:
      return few(std::integral_constant<int, 2>());
    case 3:
      if constexpr (!is_complex<T>) return few(std::integral_constant<int, 3>());
      break;
    case 4:
      return few(std::integral_constant<int, 4>());
    default:
      return many();
  }
}

template <class S, Rows mode, Scalar T>
TRISWEEP_INLINE void multiply_by_columns(const Product<T>& p) {
  by_columns(
      p, [&](auto n) __attribute__((always_inline)) { multiply_few<S, mode, n>(p); },
      [&]() __attribute__((always_inline)) { multiply_many<S, mode>(p); });
}

template <class S, Scalar T>
TRISWEEP_INLINE void gather_by_columns(const Product<T>& p) {
  by_columns(
      p, [&](auto n) __attribute__((always_inline)) { gather_few<S, n>(p); },
      [&]() __attribute__((always_inline)) { gather_many<S>(p); });
}

}  // namespace trisweep::kernels::TRISWEEP_ISA
