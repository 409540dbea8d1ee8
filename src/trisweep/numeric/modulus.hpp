#pragma once
// Sizes of pivots.

#include <cmath>
#include <complex>

#include "trisweep/core/types.hpp"

namespace trisweep::numeric {

// Cheap modulus for the pivot search, as in the BLAS; equal to the modulus for real numbers.
template <Scalar T>
RealOf<T> modulus_1(T value) {
  if constexpr (is_complex<T>) {
    return std::abs(value.real()) + std::abs(value.imag());
  } else {
    return std::abs(value);
  }
}

// Replaces a pivot below `bound` by `replacement` with the pivot's sign or phase. The comparison is written
// so that a NaN is replaced too.
template <Scalar T>
bool perturb(T& pivot, RealOf<T> bound, RealOf<T> replacement) {
  const RealOf<T> modulus = std::abs(pivot);
  if (modulus >= bound) return false;
  pivot = modulus > 0 ? pivot / modulus * replacement : T(replacement);
  return true;
}

}  // namespace trisweep::numeric
