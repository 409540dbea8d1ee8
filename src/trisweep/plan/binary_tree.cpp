// Algorithm 2 of the 2018 paper, section 3.1, with a stem: no member has more than two children, and early
// members are near the root. From the third member on, it is a complete binary tree numbered level by level;
// the root and the second member have one child each:
//
//   0 -> 1 -> 2 -> 3 -> 5, 6
//                  4 -> 7, 8
//
// 2 + log2(members - 2) hops; a root has one message, the second member two, others at most three. The
// paper's tree has two children at the root, too. But on a square grid only the diagonal ranks are roots, and
// the rank beside the diagonal is second in most of their trees, so that these few carry most of the
// messages. The second member gets its message no later than in the paper's tree, and has less to forward
// before its own work.

#include <algorithm>

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode binary_tree(Index position, Index members) {
  constexpr Index stem = 2;
  if (position < stem) {
    return {.parent = position - 1,
            .first_child = std::min(position + 1, members),
            .last_child = std::min(position + 2, members)};
  }
  const Index place = position - stem;  // in the complete tree
  return {.parent = place == 0 ? stem - 1 : (place - 1) / 2 + stem,
          .first_child = std::min(2 * place + 1 + stem, members),
          .last_child = std::min(2 * place + 3 + stem, members)};
}

}  // namespace trisweep::plan
