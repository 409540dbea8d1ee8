#pragma once
// Clusters of unknowns in wide supernodes, without coordinates: columns in the levels of a breadth-first
// search through the supernode's own graph (as Cuthill and McKee 1969 order). Runs of columns are then row
// blocks across a separator, each of which touches two others only: panels between all others have low rank.
// (Squares, by recursive bisection, touch eight.)

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

// The same structure with columns in another order within supernodes (those that were split for their width
// taken together) of at least `least` columns. Fill is the same. `pattern`: symmetrized, in the structure's
// order, of which column j becomes new_of_ordered[j]. Not for tiled structures.
Analysis clustered(const matrix::Pattern& pattern, const Structure& structure, Index least);

}  // namespace trisweep::symbolic
