#pragma once
// What is read in runs, a panel's at a time, that the processor does not foresee: it is fetched early. So are
// positions of rows (kernels::Panel).

#include <cstddef>

#include "trisweep/core/types.hpp"
#include "trisweep/core/vector.hpp"

namespace trisweep::kernels {

inline constexpr Index positions_ahead = 512;  // of those in use: a microsecond or two

// Inlined by force: a call that does nothing but fetch is left out.
TRISWEEP_INLINE void fetch(const void* first, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t i = 0; i < bytes; i += line)
    __builtin_prefetch(static_cast<const std::byte*>(first) + i, 0, 3);
}

// Those of `count` rows.
TRISWEEP_INLINE void fetch_positions(const Index* first, Index count) {
  fetch(first, usize(count) * sizeof(Index));
}

}  // namespace trisweep::kernels
