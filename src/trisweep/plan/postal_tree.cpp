// Every member has up to five children. While a message is on its way, its sender could send about five more:
// in the postal model (Bar-Noy and Kipnis 1992) with that latency, wide trees finish sooner than binary ones,
// whose inner members are idle most of the time. The price is up to five messages, and more work, at each
// inner member.

#include <algorithm>

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode postal_tree(Index position, Index members) {
  constexpr Index children = 5;
  return {.parent = position == 0 ? -1 : (position - 1) / children,
          .first_child = std::min(children * position + 1, members),
          .last_child = std::min(children * position + children + 1, members)};
}

}  // namespace trisweep::plan
