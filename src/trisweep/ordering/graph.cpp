#include "trisweep/ordering/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "trisweep/core/error.hpp"

namespace trisweep::ordering {
namespace {

// Compression must remove this share of the vertices to be worth its indirection.
constexpr double useful_shrinkage = 0.15;

// A hash of each row, made of the number of entries, the sum of their columns and that of the columns'
// squares.
std::vector<std::uint64_t> row_hashes(const matrix::Pattern& pattern) {
  constexpr std::uint64_t offset = 0x9e3779b97f4a7c15;
  std::vector<std::uint64_t> hash(usize(pattern.rows));
  for (Index i = 0; i < pattern.rows; ++i) {
    std::uint64_t sum = 0;
    for (const Index j : pattern.row(i)) {
      const std::uint64_t term = offset + static_cast<std::uint64_t>(j);
      sum += term * term;
    }
    hash[usize(i)] = sum;
  }
  return hash;
}

// The vertex of each unknown; vertices are numbered by their first member. Identical rows with a full
// diagonal contain each other's index, so only neighbours need be compared.
Index group(const matrix::Pattern& pattern, std::vector<Index>& vertex_of) {
  const std::vector<std::uint64_t> hash = row_hashes(pattern);
  vertex_of.assign(usize(pattern.rows), -1);
  Index vertices = 0;
  for (Index i = 0; i < pattern.rows; ++i) {
    if (vertex_of[usize(i)] >= 0) continue;
    const auto row = pattern.row(i);
    vertex_of[usize(i)] = vertices;
    for (auto j = std::upper_bound(row.begin(), row.end(), i); j != row.end(); ++j) {
      if (hash[usize(*j)] == hash[usize(i)] && std::ranges::equal(pattern.row(*j), row)) {
        vertex_of[usize(*j)] = vertices;
      }
    }
    ++vertices;
  }
  return vertices;
}

// Unknowns by vertex, ascending within each.
void collect_members(const std::vector<Index>& vertex_of, Index vertices, Compressed& result) {
  result.member_ptr.assign(usize(vertices) + 1, 0);
  for (const Index v : vertex_of) ++result.member_ptr[usize(v) + 1];
  std::partial_sum(result.member_ptr.begin(), result.member_ptr.end(), result.member_ptr.begin());
  std::vector<Index> next(result.member_ptr.begin(), result.member_ptr.end() - 1);
  result.member.resize(vertex_of.size());
  for (std::size_t i = 0; i < vertex_of.size(); ++i) {
    result.member[usize(next[usize(vertex_of[i])]++)] = static_cast<Index>(i);
  }
}

[[noreturn]] void throw_too_many_edges(Offset edges) {
  throw Error(
      ErrorKind::environment,
      fmt::format("the graph of A + A^T has {} entries, more than the ordering libraries can index", edges),
      "use the natural order, or a smaller problem");
}

// The edges between vertices, from the row of each vertex's first member. `seen` keeps one of parallel edges.
void connect(const matrix::Pattern& pattern, const std::vector<Index>& vertex_of, Compressed& result) {
  Graph& graph = result.graph;
  const auto vertices = static_cast<Index>(result.member_ptr.size()) - 1;
  graph.weight.resize(usize(vertices));
  graph.ptr.reserve(usize(vertices) + 1);
  std::vector<Index> seen(usize(vertices), -1);
  for (Index v = 0; v < vertices; ++v) {
    graph.weight[usize(v)] = static_cast<Index>(result.members(v).size());
    seen[usize(v)] = v;
    for (const Index j : pattern.row(result.members(v).front())) {
      const Index w = vertex_of[usize(j)];
      if (seen[usize(w)] == v) continue;
      seen[usize(w)] = v;
      graph.adjacent.push_back(w);
    }
    if (graph.adjacent.size() > usize(std::numeric_limits<Index>::max())) {
      throw_too_many_edges(pattern.nonzeros());
    }
    graph.ptr.push_back(static_cast<Index>(graph.adjacent.size()));
  }
}

// Adds the rows of the vertices after the first `inner`: their edges to these, whose rows are complete.
void add_halo_rows(Index inner, const std::vector<Index>& degree, Graph& graph) {
  std::vector<Index> next;
  for (const Index count : degree) {
    next.push_back(graph.ptr.back());
    graph.ptr.push_back(graph.ptr.back() + count);
  }
  graph.adjacent.resize(usize(graph.ptr.back()));
  for (Index v = 0; v < inner; ++v) {
    for (Index p = graph.ptr[usize(v)]; p < graph.ptr[usize(v) + 1]; ++p) {
      const Index w = graph.adjacent[usize(p)];
      if (w >= inner) graph.adjacent[usize(next[usize(w - inner)]++)] = v;
    }
  }
}

}  // namespace

Index Graph::total_weight() const {
  return std::reduce(weight.begin(), weight.end(), Index{0});
}

Compressed compress(const matrix::Pattern& pattern, bool always) {
  std::vector<Index> vertex_of;
  const Index vertices = group(pattern, vertex_of);
  if (!always && vertices > (1 - useful_shrinkage) * pattern.rows) return ungrouped(pattern);
  Compressed result;
  collect_members(vertex_of, vertices, result);
  connect(pattern, vertex_of, result);
  return result;
}

Compressed ungrouped(const matrix::Pattern& pattern) {
  const auto n = usize(pattern.rows);
  const auto edges = usize(pattern.nonzeros() - pattern.rows);
  if (edges > usize(std::numeric_limits<Index>::max())) throw_too_many_edges(pattern.nonzeros());
  Compressed result;
  result.member.resize(n);
  std::iota(result.member.begin(), result.member.end(), 0);
  result.member_ptr.resize(n + 1);
  std::iota(result.member_ptr.begin(), result.member_ptr.end(), 0);
  Graph& graph = result.graph;
  graph.weight.assign(n, 1);
  graph.ptr.reserve(n + 1);
  graph.adjacent.resize(edges + 1);  // one more: a diagonal entry is written, too, before it is skipped
  Index* next = graph.adjacent.data();
  for (Index i = 0; i < pattern.rows; ++i) {
    for (const Index j : pattern.row(i)) {
      *next = j;
      next += j != i;
    }
    graph.ptr.push_back(static_cast<Index>(next - graph.adjacent.data()));
  }
  graph.adjacent.resize(edges);
  return result;
}

Graph induced(const Graph& graph, std::span<const Index> vertices, std::vector<Index>& place) {
  place.assign(usize(graph.vertices()), -1);
  std::size_t edges = 0;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    place[usize(vertices[k])] = static_cast<Index>(k);
    edges += usize(graph.degree(vertices[k]));
  }
  Graph result;
  result.ptr.reserve(vertices.size() + 1);
  result.weight.reserve(vertices.size());
  result.adjacent.reserve(edges);
  for (const Index v : vertices) {
    result.weight.push_back(graph.weight[usize(v)]);
    for (const Index w : graph.neighbours(v)) {
      if (place[usize(w)] >= 0) result.adjacent.push_back(place[usize(w)]);
    }
    result.ptr.push_back(static_cast<Index>(result.adjacent.size()));
  }
  return result;
}

Graph with_halo(const Graph& graph, std::span<const Index> vertices, std::vector<Index>& place) {
  const auto inner = static_cast<Index>(vertices.size());
  Graph result;
  std::size_t edges = 0;
  for (Index k = 0; k < inner; ++k) {
    place[usize(vertices[usize(k)])] = k;
    edges += usize(graph.degree(vertices[usize(k)]));
  }
  result.ptr.reserve(vertices.size() + 1);
  result.adjacent.resize(edges);
  Index* next_edge = result.adjacent.data();
  std::vector<Index> halo, degree;
  for (const Index v : vertices) {
    for (const Index w : graph.neighbours(v)) {
      Index& at = place[usize(w)];
      if (at < 0) {
        at = inner + static_cast<Index>(halo.size());
        halo.push_back(w);
        degree.push_back(0);
      }
      if (at >= inner) ++degree[usize(at - inner)];
      *next_edge++ = at;
    }
    result.ptr.push_back(static_cast<Index>(next_edge - result.adjacent.data()));
  }
  for (const std::span<const Index> list : {vertices, std::span<const Index>(halo)}) {
    for (const Index v : list) {
      place[usize(v)] = -1;
      result.weight.push_back(graph.weight[usize(v)]);
    }
  }
  add_halo_rows(inner, degree, result);
  return result;
}

Index components(const Graph& graph, std::vector<Index>& component) {
  component.assign(usize(graph.vertices()), -1);
  std::vector<Index> stack;
  Index count = 0;
  for (Index root = 0; root < graph.vertices(); ++root) {
    if (component[usize(root)] >= 0) continue;
    component[usize(root)] = count;
    for (stack.assign(1, root); !stack.empty();) {
      const Index v = stack.back();
      stack.pop_back();
      for (const Index w : graph.neighbours(v)) {
        if (component[usize(w)] >= 0) continue;
        component[usize(w)] = count;
        stack.push_back(w);
      }
    }
    ++count;
  }
  return count;
}

}  // namespace trisweep::ordering
