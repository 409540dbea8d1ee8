#pragma once
// Fill-reducing orders of a graph that come with the tree of their topmost separators.

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/ordering/graph.hpp"

namespace trisweep::ordering {

// By heap number of a complete binary tree (entry 0 unused, size 2^(levels+1)): the vertices of each node, in
// elimination order. Every vertex is in one node; the ends of an edge lie in one node, or in an ancestor and
// a descendant.
using TreeVertices = std::vector<std::vector<Index>>;

// Approximate minimum degree (Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17, 1996) by AMD, or by
// CAMD if there is a halo. Deterministic. Cost: little more than linear in the edges if fill is small.
struct MinimumDegree {
  std::vector<Index> order;  // the vertices in elimination order
  double flops = 0;          // at most, of factoring L D L^T with one unknown per vertex, halo included
};
// Orders `vertices`. The other vertices that they have edges to are the halo (Pellegrini, Roman and Amestoy,
// Concurrency: Pract. Exper. 12, 2000): it is eliminated later but counts in the degrees, since a subdomain's
// separators fill its rows like any other vertices. All vertices count alike, whatever their weights.
// `place`: scratch, -1 for each vertex of `graph`. Throws Error(environment) when memory does not suffice.
MinimumDegree order_by_minimum_degree(const Graph& graph, std::span<const Index> vertices,
                                      std::vector<Index>& place);
// Orders all vertices of the graph of a symmetric pattern.
MinimumDegree order_by_minimum_degree(const matrix::Pattern& pattern);

// True if factoring in that order costs less than a dissection of `graph`.
bool costs_less_than_dissecting(const MinimumDegree& order, const Graph& graph);

struct Dissection {
  int levels = 0;  // of the tree
  // Most unknowns of a subdomain that is not dissected further, below the tree: minimum degree makes as
  // little fill in them.
  Index undivided = 300;
  bool by_cost = false;  // a leaf of the tree is not dissected if minimum degree costs less
  Index seed = 1;
};
// The first `inner` vertices of a graph, to be dissected; the others are around them.
struct Subdomain {
  Graph graph;
  Index inner = 0;
  Dissection how{};
};

// Interface to other ranks that dissect at the same time.
class Helpers {
 public:
  class Answer {
   public:
    virtual ~Answer() = default;
    virtual TreeVertices take() = 0;  // waits
  };

  virtual ~Helpers() = default;
  // Has a subdomain dissected by another rank; null if none is free.
  virtual std::unique_ptr<Answer> give(const Subdomain& domain) = 0;
  // From here on only the pattern of the matrix is read: the memory of its values may be freed.
  virtual void let_values_go() {}
};

// Recursive vertex separators by METIS, down to subdomains that are ordered by minimum degree. Deterministic
// for a given seed, with any helpers (null: none); METIS seeds the C library's rand(), so calls must not run
// concurrently with other users of it. Throws Error(environment) when memory does not suffice.
TreeVertices dissect_with_metis(const Subdomain& domain, Helpers* helpers, Observer& observer);

// The top of SCOTCH's nested dissection. Where SCOTCH stops dissecting early, the nodes below are empty.
// Throws Error(environment) when SCOTCH fails, Error(input) in a library that was built without it.
TreeVertices dissect_with_scotch(const Graph& graph, int levels, Index seed, Observer& observer);

// Divides items, given by their weights, into two sides of about equal weight, heaviest first. Returns the
// side, 0 or 1, of each. `load`: the weight that each side has already.
std::vector<char> balanced_sides(const std::vector<Offset>& weight, std::array<Offset, 2> load = {0, 0});

}  // namespace trisweep::ordering
