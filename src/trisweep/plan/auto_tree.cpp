// Flat if few ranks take part, binary beyond: among three ranks a flat tree takes one hop instead of two, for
// one more message at the root.

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode auto_tree(Index position, Index members) {
  constexpr Index flat_members = 3;
  return members <= flat_members ? flat_tree(position, members) : binary_tree(position, members);
}

}  // namespace trisweep::plan
