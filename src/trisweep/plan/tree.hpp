#pragma once
// Broadcast and reduction trees over short lists of ranks. A tree is its list of members in order, root
// first, and a shape that gives each position its parent: nothing is stored per edge (Liu et al. 2018,
// section 3.1: each process keeps track of its parent and children only).

#include <limits>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/distribution/mapping.hpp"
#include "trisweep/plan/indices.hpp"

namespace trisweep::plan {

// A member's neighbours, as positions among the members: its parent (-1 at the root, position 0) and its
// children [first_child, last_child).
struct TreeNode {
  Index parent;
  Index first_child;
  Index last_child;
};

// The shape of a tree: the neighbours of `position` among `members` members. Each kind is one such function
// in a file of its own; trees() lists them by name. A parent stands before its children.
using TreeFunction = TreeNode(Index position, Index members);
using Tree = TreeFunction*;

TreeFunction flat_tree;    // the root exchanges with all others: Algorithm 1 of the 2018 paper
TreeFunction binary_tree;  // Algorithm 2: at most two children, depth about log2
TreeFunction postal_tree;  // at most five children: fewer hops where latency dominates
TreeFunction auto_tree;    // flat up to a few members, where one hop beats two, binary beyond

// The tree of MPI libraries for a broadcast or reduction of a short message. Not listed in trees(): it stands
// for the collectives of such a library.
TreeFunction binomial_tree;

// Which way the panels of a side are applied. `scatter` is a forward sweep: y(I) -= P(I,K) y(K). `gather` is
// a backward sweep: x(K) -= P(I,K)^T x(I).
enum class Direction { scatter, gather };

// For every supernode the ranks of one layer that take part in a collective on its segment, in tree order:
// rank[ptr[K] .. ptr[K+1]), the owner of the segment first. Empty for supernodes the layer does not hold.
// Without `ptr` all supernodes have the same ranks.
struct Members {
  std::vector<Offset> ptr;
  std::vector<RankId> rank;

  std::span<const RankId> of(Index k) const {
    if (ptr.empty()) return rank;
    return {rank.data() + ptr[usize(k)], rank.data() + ptr[usize(k) + 1]};
  }
};

// Supernodes [first, last).
struct SupernodeRange {
  Index first = 0;
  Index last = std::numeric_limits<Index>::max();
  bool contains(Index k) const { return first <= k && k < last; }
  bool empty() const { return last <= first; }
};

// The members of both collectives of a sweep over the given panels. Ranks whose blocks are needed first stand
// near the root of a broadcast tree; ranks whose blocks are ready last stand near the root of a reduction
// tree (2018, section 3.1).
struct SweepTrees {
  Members broadcast;  // ranks that need the final segment
  Members reduction;  // ranks that contribute to it
  // Supernodes in whose collectives each rank takes part one after another, in this order. All other
  // collectives proceed as messages arrive.
  std::vector<Index> in_turn;
  std::vector<char> applied;  // by supernode: whether the layer applies the panel

  bool of_one_rank() const { return broadcast.ptr.empty() && reduction.ptr.empty(); }
};

}  // namespace trisweep::plan
