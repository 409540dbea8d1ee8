#pragma once
// Separators that are crossed in one step together.

#include <vector>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

struct MergedTree {
  std::vector<Index> into;       // by node of the separator tree: the node that its columns belong to now
  ordering::SeparatorTree tree;  // after merging, in an order of columns of its own; merged nodes are empty
};

// Merges both children of a separator into it where Options::merge_entries and merge_ranks allow: from the
// root down, a separator with its children or not at all. Of the separators that are kept whole, only.
MergedTree merge_separators(const ordering::SeparatorTree& tree, const SymbolicOptions& options);

}  // namespace trisweep::symbolic
