#pragma once
// Clusters of unknowns in wide supernodes, without coordinates: columns are ordered by the levels of a
// breadth-first search in the supernode's own graph (Cuthill and McKee 1969). Runs of columns are then row
// blocks across a separator, each adjacent to two others only; panels between all others have low rank.
// (Squares, from recursive bisection, would be adjacent to eight.)

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

// Reorders columns within supernodes of at least `least` columns (pieces of a supernode that was split for
// its width count as one). Fill is unchanged. `pattern`: symmetrized, in the structure's order; its column j
// becomes new_of_ordered[j]. Not for tiled structures.
Analysis clustered(const matrix::Pattern& pattern, const Structure& structure, Index least);

}  // namespace trisweep::symbolic
