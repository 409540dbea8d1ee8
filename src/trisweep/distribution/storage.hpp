#pragma once
// How much of the factors each rank stores.

#include <vector>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {

// Number of values that each rank stores: its pieces of the panels and its inverted diagonal blocks,
// including what layers replicate. Without the upper panels if `upper_is_lower` (Cholesky).
std::vector<Offset> stored_values(const symbolic::Structure& structure, const Mapping& mapping,
                                  bool upper_is_lower);

}  // namespace trisweep::distribution
