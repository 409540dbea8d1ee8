#pragma once
// The order in which the fronts of a multifrontal factorization are eliminated, and what that costs.
//
// A front is one supernode, or a chain of wide ones in which each has exactly the rows of the next: the
// pieces of a split separator, which then share one dense matrix instead of copying its rest from piece to
// piece. The tree of fronts is traversed in a postorder whose children come in the order that keeps the stack
// of contribution blocks low (Liu, On the storage requirement in the out-of-core multifrontal method, 1986).

#include <vector>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::numeric {

// Fronts are numbered in the order of elimination: a subtree is the range [subtree_begin[f], f].
struct FrontTree {
  std::vector<Index> member_ptr;  // fronts + 1
  std::vector<Index> member;      // supernodes of a front, in elimination order
  std::vector<Index> parent;      // -1 at a root
  std::vector<Index> child_ptr;   // fronts + 1
  std::vector<Index> child;       // in elimination order
  std::vector<Index> subtree_begin;
  std::vector<Index> depth;         // 0 at a root
  std::vector<Index> width;         // columns eliminated
  std::vector<Index> height;        // rows (and columns) of the contribution block
  std::vector<Offset> stack_below;  // peak of contribution entries while the descendants are processed
  std::vector<Offset> stack;        // the same, with the front's own contribution block

  Index fronts() const { return static_cast<Index>(parent.size()); }
  std::span<const Index> members(Index f) const {
    return {member.data() + member_ptr[usize(f)], member.data() + member_ptr[usize(f) + 1]};
  }
  std::span<const Index> children(Index f) const {
    return {child.data() + child_ptr[usize(f)], child.data() + child_ptr[usize(f) + 1]};
  }
};

// Entries of a cache line of the smallest scalar.
constexpr Offset line_entries = 16;

// Entries that a contribution block of `height` rows occupies on the stack: square, padded to whole cache
// lines.
constexpr Offset contribution_entries(Index height) {
  return (Offset{height} * height + line_entries - 1) / line_entries * line_entries;
}

FrontTree build_front_tree(const symbolic::Structure& structure);

}  // namespace trisweep::numeric
