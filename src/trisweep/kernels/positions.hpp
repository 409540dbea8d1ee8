#pragma once
// Prefetches of data that are read in runs, one panel at a time, which the hardware prefetcher does not
// foresee, such as positions of rows (kernels::Panel).

#include <cstddef>

#include "trisweep/core/types.hpp"
#include "trisweep/core/vector.hpp"

namespace trisweep::kernels {

inline constexpr Index positions_ahead = 512;  // of those in use: by a microsecond or two

// Force-inlined: the compiler omits a call that does nothing but prefetch.
TRISWEEP_INLINE void fetch(const void* first, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t i = 0; i < bytes; i += line)
    __builtin_prefetch(static_cast<const std::byte*>(first) + i, 0, 3);
}

// Prefetches the positions of `count` rows.
TRISWEEP_INLINE void fetch_positions(const Index* first, Index count) {
  fetch(first, usize(count) * sizeof(Index));
}

}  // namespace trisweep::kernels
