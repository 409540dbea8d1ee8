#pragma once
// How much of the factors each rank stores.

#include <vector>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {

// The values each rank has a place for, by rank: its pieces of the panels and its inverted diagonal blocks,
// what layers replicate included. Without the upper panels where `upper_is_lower` (Cholesky).
std::vector<Offset> stored_values(const symbolic::Structure& structure, const Mapping& mapping,
                                  bool upper_is_lower);

}  // namespace trisweep::distribution
