#pragma once
// A picture of an H-matrix: its blocks, where they are, and their ranks.

#include <span>
#include <string>

#include "trisweep/hmatrix/electrostatics.hpp"

namespace trisweep::report {

// As SVG, of a matrix of so many rows: dense blocks in red, the others the darker the higher their rank.
std::string block_map(std::span<const hmatrix::MappedBlock> blocks, Index rows);

}  // namespace trisweep::report
