#pragma once
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

// Fills in the blocks and the parents of a structure that has its columns and rows.
void group_blocks(Structure& structure);

}  // namespace trisweep::symbolic
