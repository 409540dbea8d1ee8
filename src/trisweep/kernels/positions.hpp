#pragma once
// Positions of rows (kernels::Panel) are read in runs, a panel's at a time, that the processor does not
// foresee: they are fetched early.

#include "trisweep/core/types.hpp"
#include "trisweep/core/vector.hpp"

namespace trisweep::kernels {

inline constexpr Index positions_ahead = 512;  // of those in use: a microsecond or two

// Those of `count` rows. Inlined by force: a call that does nothing but fetch is left out.
TRISWEEP_INLINE void fetch_positions(const Index* first, Index count) {
  constexpr Index line = 64 / sizeof(Index);
  for (Index i = 0; i < count; i += line) __builtin_prefetch(first + i, 0, 3);
}

}  // namespace trisweep::kernels
