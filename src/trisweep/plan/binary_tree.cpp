// Algorithm 2 of the 2018 paper, section 3.1: a complete binary tree, numbered level by level, so that who
// stands early among the members stands near the root. log2(members) hops and at most three messages at any
// member.

#include <algorithm>

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode binary_tree(Index position, Index members) {
  return {.parent = position == 0 ? -1 : (position - 1) / 2,
          .first_child = std::min(2 * position + 1, members),
          .last_child = std::min(2 * position + 3, members)};
}

}  // namespace trisweep::plan
