#pragma once
// Separators that a sweep crosses together in one step.

#include <vector>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

struct MergedTree {
  std::vector<Index> into;       // by node of the separator tree: the node that its columns belong to now
  ordering::SeparatorTree tree;  // after merging, in an order of columns of its own; merged nodes are empty
};

// Merges both children of a separator into it, or neither, from the root down, where
// SymbolicOptions::merge_entries and merge_ranks allow it. Only separators that are kept whole are merged.
MergedTree merge_separators(const ordering::SeparatorTree& tree, const SymbolicOptions& options);

}  // namespace trisweep::symbolic
