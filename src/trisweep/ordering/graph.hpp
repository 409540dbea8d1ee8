#pragma once
// The weighted undirected graph that is dissected: vertices are groups of indistinguishable unknowns.

#include <span>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::ordering {

// Both directions of each edge, no loops. 32-bit throughout, as the dissection libraries want it.
struct Graph {
  std::vector<Index> ptr{0};  // vertices + 1
  std::vector<Index> adjacent;
  std::vector<Index> weight;  // unknowns in each vertex

  Index vertices() const { return static_cast<Index>(weight.size()); }
  Index edges() const { return static_cast<Index>(adjacent.size()); }  // each counted twice
  Index degree(Index v) const { return ptr[usize(v) + 1] - ptr[usize(v)]; }
  std::span<const Index> neighbours(Index v) const {
    return {adjacent.data() + ptr[usize(v)], adjacent.data() + ptr[usize(v) + 1]};
  }
  Index total_weight() const;
};

// A graph, and the unknowns that each of its vertices stands for.
struct Compressed {
  Graph graph;
  std::vector<Index> member_ptr;  // vertices + 1
  std::vector<Index> member;

  std::span<const Index> members(Index v) const {
    return {member.data() + member_ptr[usize(v)], member.data() + member_ptr[usize(v) + 1]};
  }
};

// Groups unknowns whose rows of `pattern` (symmetric, full diagonal) are identical, such as those of one node
// of a finite element mesh: they belong together in any good order, and the graph becomes smaller by the
// square of their number. If that would shrink the graph little, every unknown is a vertex of its own, unless
// `always`. Throws Error(environment) when the graph has 2^31 edges or more.
Compressed compress(const matrix::Pattern& pattern, bool always = false);
// Every unknown is a vertex. Throws as above.
Compressed ungrouped(const matrix::Pattern& pattern);

// The subgraph of `vertices`, numbered in that order. `place`: scratch, one entry per vertex of `graph`.
Graph induced(const Graph& graph, std::span<const Index> vertices, std::vector<Index>& place);

// The subgraph of `vertices` followed by their halo: all other vertices that they have edges to, without the
// edges within the halo. `place`: scratch, -1 for each vertex of `graph`, before and after the call.
Graph with_halo(const Graph& graph, std::span<const Index> vertices, std::vector<Index>& place);

// The connected component of each vertex, numbered from 0 by first vertex; returns their number.
Index components(const Graph& graph, std::vector<Index>& component);

}  // namespace trisweep::ordering
