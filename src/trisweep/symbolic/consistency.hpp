#pragma once
// Whether a structure that was read from a file is one: what relies on it checks nothing.

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

// Whether the ranges of the nodes follow each other as SeparatorTree says, from 0 to `end`.
bool is_consistent(const ordering::SeparatorTree& tree, Index end);

// Whether all of Structure's lists fit together, and no supernode has a row in a node that is not an ancestor
// of its own.
bool is_consistent(const Structure& structure);

}  // namespace trisweep::symbolic
