#pragma once
// Real numbers, or the parts of complex ones, in SIMD vectors of one length. Included only by sources that
// are compiled once for each instruction set.

#include "trisweep/core/vector.hpp"

namespace trisweep::lowrank::TRISWEEP_ISA {
namespace {

// The same number whatever the size of the processor's vectors: the order of sums depends on it.
constexpr int lanes = 8;
template <class R>
using Lanes = Vector<R, lanes* static_cast<int>(sizeof(R))>;

template <class R>
TRISWEEP_INLINE Lanes<R> all_lanes(R value) {
  return Lanes<R>{} + value;
}

template <class R>
TRISWEEP_INLINE R sum_of_lanes(const Lanes<R>& v) {
  return sum_of<R, lanes* static_cast<int>(sizeof(R))>(v);
}

// Swaps real and imaginary parts.
template <class R>
TRISWEEP_INLINE Lanes<R> swapped(const Lanes<R>& v) {
  static_assert(lanes == 8);
  return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}
template <class R>
TRISWEEP_INLINE Lanes<R> alternating(R even, R odd) {
  return Lanes<R>{even, odd, even, odd, even, odd, even, odd};
}

}  // namespace
}  // namespace trisweep::lowrank::TRISWEEP_ISA
