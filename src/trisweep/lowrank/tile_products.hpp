#pragma once
// Products with panels in tiles (tiles.hpp): the kernels that a sweep finds at a compressed panel, in the
// place of those for panels as they are.

#include "trisweep/kernels/stored.hpp"

namespace trisweep::lowrank {

// `panel` is in tiles and at a multiple of 8 bytes. Sums are formed in an order that depends on the panel,
// the rows and the number of right-hand sides.
template <Scalar T>
kernels::Stored<T> stored_tiles(const std::byte* panel);

}  // namespace trisweep::lowrank
