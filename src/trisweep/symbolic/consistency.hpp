#pragma once
// Checks of a structure that was read from a file; code that uses a structure does not check it.

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

// True if the ranges of the nodes follow each other as SeparatorTree says, from 0 to `end`.
bool is_consistent(const ordering::SeparatorTree& tree, Index end);

// True if all of Structure's lists fit together, and supernodes have rows only in their own node and its
// ancestors.
bool is_consistent(const Structure& structure);

}  // namespace trisweep::symbolic
