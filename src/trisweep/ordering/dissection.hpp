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
// elimination order. Every vertex is in one node, and no edge joins nodes neither of which is the other's
// ancestor. An edge's ends lie in one node or in an ancestor and a descendant.
using TreeVertices = std::vector<std::vector<Index>>;

// Approximate minimum degree (Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17, 1996) by AMD, and
// around a halo by CAMD. Deterministic; cost: little more than the edges where fill is small.
struct MinimumDegree {
  std::vector<Index> order;  // the vertices as they are eliminated
  double flops = 0;          // at most, of factoring as L D L^T, those of the halo included
};
// Of `vertices`, which are eliminated before all others that they have edges to, and count these in their
// degrees (the halo of Pellegrini, Roman and Amestoy, Concurrency: Pract. Exper. 12, 2000): what belongs to a
// subdomain's separators fills its rows like any other. Vertices count as if all had the average weight.
// `place`: scratch, -1 for each vertex of `graph`. Throws Error(environment) when memory does not suffice.
MinimumDegree order_by_minimum_degree(const Graph& graph, std::span<const Index> vertices,
                                      std::vector<Index>& place);

// Whether that order, with the factorization that follows, is cheaper than a dissection of `graph`.
bool costs_less_than_dissecting(const MinimumDegree& order, const Graph& graph);

struct Dissection {
  int levels = 0;        // of the tree
  Index undivided = 0;   // unknowns of a subdomain that is not dissected any more, below the tree
  bool by_cost = false;  // a leaf of the tree is not dissected at all where minimum degree costs less
  Index seed = 1;
};
// The first `inner` vertices of a graph, to be dissected; the others are around them.
struct Subdomain {
  Graph graph;
  Index inner = 0;
  Dissection how{};
};

// Who dissects at the same time, on other ranks, and has gathered the matrix for that.
class Helpers {
 public:
  class Answer {
   public:
    virtual ~Answer() = default;
    virtual TreeVertices take() = 0;  // waits
  };

  virtual ~Helpers() = default;
  // Has a subdomain dissected; null where nobody is left for that.
  virtual std::unique_ptr<Answer> give(const Subdomain& domain) = 0;
  // From here on the pattern of the matrix is read alone: the memory of its values is free.
  virtual void let_values_go() {}
};

// Recursive vertex separators by METIS, down to subdomains that are ordered by minimum degree. Deterministic
// for one seed, with whatever helpers (null: none); METIS seeds the C library's rand(), so calls must not run
// concurrently with other users of it. Throws Error(environment) when memory does not suffice.
TreeVertices dissect_with_metis(const Subdomain& domain, Helpers* helpers, Observer& observer);

// The top of SCOTCH's nested dissection. Where SCOTCH stops dissecting early, the nodes below are empty.
// Throws Error(environment) when SCOTCH fails, Error(input) in a library that was built without it.
TreeVertices dissect_with_scotch(const Graph& graph, int levels, Index seed, Observer& observer);

// Splits `items` (by weight) into two sides of about equal weight, heaviest first; side[k] is 0 or 1. `load`:
// the weight that each side has already.
std::vector<char> balanced_sides(const std::vector<Offset>& weight, std::array<Offset, 2> load = {0, 0});

}  // namespace trisweep::ordering
