// The binomial tree: in each round every member that has the message sends it to one more, so that all
// members have it after log2(members) rounds, rounded up. In MPI libraries, which number members relative to
// the root, member r has the children r + 2^j for all 2^j below the lowest bit of r. Here positions count the
// members of that tree level by level, so that children stand side by side.

#include <bit>

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {

TreeNode binomial_tree(Index position, Index members) {
  std::vector<Index> number{0};  // of the member at each position, relative to the root
  number.reserve(usize(members));
  TreeNode node{.parent = -1, .first_child = members, .last_child = members};
  for (Index p = 0; p <= position; ++p) {
    const auto first = static_cast<Index>(number.size());
    const Index r = number[usize(p)];
    const auto lowest_bit =
        static_cast<Index>(std::bit_ceil(static_cast<unsigned>(r == 0 ? members : r & -r)));
    for (Index step = lowest_bit / 2; step >= 1; step /= 2) {
      if (r + step < members) number.push_back(r + step);
    }
    const auto last = static_cast<Index>(number.size());
    if (first <= position && position < last) node.parent = p;
    if (p == position) node = {.parent = node.parent, .first_child = first, .last_child = last};
  }
  return node;
}

}  // namespace trisweep::plan
