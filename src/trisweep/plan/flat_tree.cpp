// Algorithm 1 of the 2018 paper: the root sends to, or receives from, each of the others itself. One hop, but
// members - 1 messages at the root.

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode flat_tree(Index position, Index members) {
  if (position == 0) return {.parent = -1, .first_child = 1, .last_child = members};
  return {.parent = 0, .first_child = members, .last_child = members};
}

}  // namespace trisweep::plan
