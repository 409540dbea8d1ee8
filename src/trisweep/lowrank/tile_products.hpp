#pragma once
// Products with panels in tiles (tiles.hpp): the kernels that a sweep uses for a compressed panel instead of
// those for uncompressed ones.

#include "trisweep/kernels/stored.hpp"

namespace trisweep::lowrank {

// `panel` is in tiles and aligned to 8 bytes. The order of sums depends on the panel, the rows and the number
// of right-hand sides.
template <Scalar T>
kernels::Stored<T> stored_tiles(const std::byte* panel);

}  // namespace trisweep::lowrank
