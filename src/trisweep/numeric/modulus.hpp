#pragma once
// Sizes of pivots, and their product.

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <utility>

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

// ||values||_2, scaled so that squares neither overflow nor underflow; not finite if a value is not.
template <Scalar T>
double norm_two(std::span<const T> values) {
  double largest = 0;
  for (const T& value : values) {
    const auto modulus = double(std::abs(value));
    if (!(modulus <= largest)) largest = modulus;
  }
  if (!(largest > 0 && std::isfinite(largest))) return largest;
  constexpr int most_exponent = 1000;
  const double unit = std::ldexp(1.0, std::min(-std::ilogb(largest), most_exponent));
  double sum = 0;
  for (const T& value : values) sum += squared_modulus(value, unit);
  return std::sqrt(sum) / unit;
}

// Replaces a pivot below `bound` by `replacement` with the pivot's sign or phase. The comparison is written
// so that a NaN is replaced, too. Returns true if it replaced the pivot.
template <Scalar T>
bool perturb(T& pivot, RealOf<T> bound, RealOf<T> replacement) {
  const RealOf<T> modulus = std::abs(pivot);
  if (modulus >= bound) return false;
  pivot = modulus > 0 ? pivot / modulus * replacement : T(replacement);
  return true;
}

// A product of moduli that takes logarithms only when it would leave the range of doubles.
class ModulusProduct {
 public:
  void multiply(double factor) {
    if (is_extreme(factor)) {
      log_ += std::log(factor);
    } else {
      product_ *= factor;
      if (is_extreme(product_)) log_ += std::log(std::exchange(product_, 1));
    }
  }
  double log() const { return log_ + std::log(product_); }
  // True if the product of two such factors may leave the range.
  static bool is_extreme(double v) { return !(v < 0x1p500 && v > 0x1p-500); }

 private:
  double product_ = 1;
  double log_ = 0;
};

}  // namespace trisweep::numeric
