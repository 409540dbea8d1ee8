#pragma once
#include <cmath>

#include "trisweep/core/types.hpp"

namespace trisweep {

// Neither NaN nor infinite in any part. (The magnitude of a finite complex number may be infinite.)
template <Scalar T>
bool is_finite(const T& v) {
  return std::isfinite(std::real(v)) && std::isfinite(std::imag(v));
}

}  // namespace trisweep
