// Flat where few take part, binary beyond: up to `flat_members` a flat tree is as shallow as a binary one, or
// nearly so, with fewer hops.

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode auto_tree(Index position, Index members) {
  constexpr Index flat_members = 4;
  return members <= flat_members ? flat_tree(position, members) : binary_tree(position, members);
}

}  // namespace trisweep::plan
