#include "trisweep/symbolic/clusters.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trisweep/ordering/graph.hpp"
#include "trisweep/symbolic/blocks.hpp"

namespace trisweep::symbolic {
namespace {

// End of the chain of supernodes from `first` on that form one dense block: the rows of each are exactly the
// columns and rows of the next, and all are in one node of the separator tree.
Index end_of_chain(const Structure& s, const std::vector<Index>& node, Index first) {
  Index k = first;
  while (k + 1 < s.supernodes() && node[usize(k)] == node[usize(k + 1)] && s.parent[usize(k)] == k + 1 &&
         s.height(k) == s.width(k + 1) + s.height(k + 1))
    ++k;
  return k + 1;
}

// The graph of columns [begin, end): they are joined if adjacent, or if they have a neighbour in common. (In
// a separator at an angle to the grid no two points are adjacent.) Rows longer than this are not searched for
// common neighbours, which are joined anyway.
constexpr std::size_t long_row = 64;

ordering::Graph own_graph(const matrix::Pattern& pattern, Index begin, Index end) {
  ordering::Graph graph;
  const auto add = [&](Index j, Index i) {
    if (i >= begin && i < end && i != j) graph.adjacent.push_back(i - begin);
  };
  for (Index j = begin; j < end; ++j) {
    for (const Index i : pattern.row(j)) {
      add(j, i);
      if (pattern.row(i).size() > long_row) continue;
      for (const Index k : pattern.row(i)) add(j, k);
    }
    graph.ptr.push_back(static_cast<Index>(graph.adjacent.size()));
    graph.weight.push_back(1);
  }
  return graph;
}

// The vertices in the order in which breadth-first searches, from `start` and then from any vertex left, meet
// them.
std::vector<Index> breadth_first(const ordering::Graph& graph, Index start) {
  std::vector<Index> met;
  std::vector<char> seen(usize(graph.vertices()));
  const auto meet = [&](Index v) {
    if (std::exchange(seen[usize(v)], 1) == 0) met.push_back(v);
  };
  std::size_t next = 0;
  const auto search_from = [&](Index v) {
    for (meet(v); next < met.size(); ++next) std::ranges::for_each(graph.neighbours(met[next]), meet);
  };
  search_from(start);
  for (Index v = 0; v < graph.vertices(); ++v) search_from(v);
  return met;
}

// Breadth-first order from a vertex far from others (George and Liu 1979): twice, the last one that a search
// meets.
std::vector<Index> in_levels(const ordering::Graph& graph) {
  std::vector<Index> met = breadth_first(graph, 0);
  for (int repeat = 0; repeat < 2; ++repeat) met = breadth_first(graph, met.back());
  return met;
}

}  // namespace

Analysis clustered(const matrix::Pattern& pattern, const Structure& structure, Index least) {
  Analysis result;
  std::vector<Index>& new_of = result.new_of_ordered;
  new_of.resize(usize(structure.n));
  std::iota(new_of.begin(), new_of.end(), 0);
  auto made = std::make_shared<Structure>(structure);
  made->block.clear();
  made->block_ptr.clear();
  made->parent.clear();
  const std::vector<Index> node = nodes_of_supernodes(structure);
  std::vector<Index> end_of(usize(structure.supernodes()));  // the column behind each supernode's chain
  for (Index k = 0; k < structure.supernodes();) {
    const Index last = end_of_chain(structure, node, k);
    const Index begin = structure.first[usize(k)], end = structure.first[usize(last)];
    std::fill(end_of.begin() + k, end_of.begin() + last, end);
    if (end - begin >= least) {
      const auto order = in_levels(own_graph(pattern, begin, end));
      for (std::size_t place = 0; place < order.size(); ++place)
        new_of[usize(begin + order[place])] = begin + static_cast<Index>(place);
    }
    k = last;
  }
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const auto begin = made->row.begin() + structure.row_ptr[usize(k)];
    const auto end = made->row.begin() + structure.row_ptr[usize(k) + 1];
    // Rows in the chain itself are unchanged: all columns after the supernode, in whatever order.
    const auto other = std::lower_bound(begin, end, end_of[usize(k)]);
    std::transform(other, end, other, [&](Index row) { return new_of[usize(row)]; });
    std::sort(other, end);
  }
  group_blocks(*made);
  result.structure = std::move(made);
  return result;
}

}  // namespace trisweep::symbolic
