#pragma once
// A picture of an H-matrix: the location of its blocks, and their ranks.

#include <span>
#include <string>

#include "apps/bem/electrostatics.hpp"

namespace trisweep::bem {

// As SVG, of a matrix with `rows` rows: dense blocks in red, the others the darker the higher their rank.
std::string block_map(std::span<const MappedBlock> blocks, Index rows);

}  // namespace trisweep::bem
