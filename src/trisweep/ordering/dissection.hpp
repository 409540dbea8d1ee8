#pragma once
// Fill-reducing orders of a graph that come with the tree of their topmost separators.

#include <array>
#include <functional>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/ordering/graph.hpp"

namespace trisweep::ordering {

// By heap number of a complete binary tree (entry 0 unused, size 2^(levels+1)): the vertices of each node, in
// elimination order. Every vertex is in one node, and no edge joins nodes neither of which is the other's
// ancestor. An edge's ends lie in one node or in an ancestor and a descendant.
using TreeVertices = std::vector<std::vector<Index>>;

// Puts the vertices of a subdomain in their elimination order; result[k] is eliminated as number k. (The
// graph is not changed; METIS would have it so.)
using LeafOrder = std::function<std::vector<Index>(Graph& graph)>;

// Recursive vertex separators by METIS, `order_leaf` below the tree. Deterministic for one seed; METIS seeds
// the C library's rand(), so calls must not run concurrently with other users of it. Throws
// Error(environment) when METIS runs out of memory.
TreeVertices dissect_with_metis(const Graph& graph, int levels, Index seed, const LeafOrder& order_leaf,
                                Observer& observer);
// METIS's nested dissection. Deterministic and not to be run concurrently, as above.
std::vector<Index> order_with_metis(Graph& graph, Index seed);

// Approximate minimum degree (Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17, 1996) by the AMD
// library, of a graph of single unknowns. Deterministic; cost: little more than the graph's edges where fill
// is small.
struct MinimumDegree {
  std::vector<Index> order;  // order[k] is eliminated as number k
  double flops = 0;          // at most, of factoring in that order as L D L^T
};
// Throws Error(environment) when memory does not suffice.
MinimumDegree order_with_amd(const Graph& graph);

// The top of SCOTCH's nested dissection. Where SCOTCH stops dissecting early, the nodes below are empty.
// Throws Error(environment) when SCOTCH fails, Error(input) in a library that was built without it.
TreeVertices dissect_with_scotch(const Graph& graph, int levels, Index seed, Observer& observer);

// Splits `items` (by weight) into two sides of about equal weight, heaviest first; side[k] is 0 or 1. `load`:
// the weight that each side has already.
std::vector<char> balanced_sides(const std::vector<Offset>& weight, std::array<Offset, 2> load = {0, 0});

}  // namespace trisweep::ordering
