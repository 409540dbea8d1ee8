#pragma once
#include <cmath>

#include "trisweep/core/types.hpp"

namespace trisweep {

// True if neither the real nor the imaginary part is NaN or infinite. (The magnitude of a finite complex
// number may be infinite.)
template <Scalar T>
bool is_finite(const T& v) {
  return std::isfinite(std::real(v)) && std::isfinite(std::imag(v));
}

}  // namespace trisweep
