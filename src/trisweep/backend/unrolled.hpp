#pragma once
// Loops of a kernel that are none when it is compiled.

#include <utility>

#include "trisweep/backend/machine.hpp"

namespace trisweep::backend {

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
