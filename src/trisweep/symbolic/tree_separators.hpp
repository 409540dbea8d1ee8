#pragma once
// Separators of an order that was not made by dissection, from its elimination tree, whose subtrees Pothen
// and Sun (1993) map to ranks.

#include <vector>

#include "trisweep/ordering/ordering.hpp"

namespace trisweep::symbolic {

struct TreeOrder {
  std::vector<Index> new_of;  // column j becomes new_of[j]: children before their parents still
  ordering::SeparatorTree tree;
};

// Divides a set of subtrees into two, level by level. As long as one subtree has most of the work of a set,
// its root goes into the separator first. `parent`: elimination tree (etree.hpp); `work`: of each column
// alone. Cost: O(n log n).
TreeOrder tree_separators(const std::vector<Index>& parent, const std::vector<double>& work, int levels);

}  // namespace trisweep::symbolic
