#pragma once
// Loops of a kernel that are unrolled at compile time.

#include <utility>

#include "trisweep/backend/machine.hpp"

// Marks a loop over an array that hipcc keeps in memory unless the loop is unrolled; nvcc spills if it
// unrolls it.
#if defined(__HIPCC__)
#define TRISWEEP_UNROLL _Pragma("unroll")
#else
#define TRISWEEP_UNROLL
#endif

namespace trisweep::backend {

// True if such loops are unrolled; they must not end early then.
#if defined(__HIPCC__)
inline constexpr bool unrolls = true;
#else
inline constexpr bool unrolls = false;
#endif

// Calls visit(i) for i in [0, count), one after another and without a loop, so that an array with that index
// stays in registers.
template <int count, class Visit>
TRISWEEP_DEVICE_INLINE void unrolled(const Visit& visit) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (visit(i), ...);
  }
  (std::make_integer_sequence<int, count>());
}

}  // namespace trisweep::backend
