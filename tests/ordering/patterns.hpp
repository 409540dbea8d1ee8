#pragma once
// Small symmetric patterns for the tests of orderings and of the structure of factors.

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::test {

using Edge = std::pair<Index, Index>;

// Symmetric, with a full diagonal.
inline matrix::Pattern pattern_of(Index n, const std::vector<Edge>& edges) {
  std::vector<std::set<Index>> row(usize(n));
  for (Index i = 0; i < n; ++i) row[usize(i)].insert(i);
  for (const auto& [a, b] : edges) {
    row[usize(a)].insert(b);
    row[usize(b)].insert(a);
  }
  matrix::Pattern p{.rows = n, .cols = n, .row_ptr = {0}, .col = {}};
  for (const auto& columns : row) {
    p.col.insert(p.col.end(), columns.begin(), columns.end());
    p.row_ptr.push_back(static_cast<Offset>(p.col.size()));
  }
  return p;
}

// Points of an nx x ny x nz box, joined along the axes, or along the diagonals of the xy-plane too.
inline std::vector<Edge> box_edges(Index nx, Index ny, Index nz, bool diagonals = false) {
  std::vector<Edge> edges;
  const auto at = [&](Index x, Index y, Index z) { return x + nx * (y + ny * z); };
  for (Index z = 0; z < nz; ++z) {
    for (Index y = 0; y < ny; ++y) {
      for (Index x = 0; x < nx; ++x) {
        if (x + 1 < nx) edges.emplace_back(at(x, y, z), at(x + 1, y, z));
        if (y + 1 < ny) edges.emplace_back(at(x, y, z), at(x, y + 1, z));
        if (z + 1 < nz) edges.emplace_back(at(x, y, z), at(x, y, z + 1));
        if (diagonals && x + 1 < nx && y + 1 < ny) {
          edges.emplace_back(at(x, y, z), at(x + 1, y + 1, z));
          edges.emplace_back(at(x + 1, y, z), at(x, y + 1, z));
        }
      }
    }
  }
  return edges;
}

inline std::vector<Edge> random_edges(Index n, Index count, std::mt19937& random) {
  std::vector<Edge> edges;
  for (Index k = 0; k < count; ++k) {
    edges.emplace_back(static_cast<Index>(random() % unsigned(n)),
                       static_cast<Index>(random() % unsigned(n)));
  }
  return edges;
}

struct NamedPattern {
  std::string name;
  matrix::Pattern pattern;
};

// Every shape that has tripped an ordering library: tiny, edgeless, disconnected, complete, hubs, long paths.
inline std::vector<NamedPattern> assorted_patterns() {
  std::mt19937 random(7);
  std::vector<NamedPattern> result;
  const auto add = [&](std::string name, Index n, const std::vector<Edge>& edges) {
    result.push_back({std::move(name), pattern_of(n, edges)});
  };
  std::vector<Edge> star, wheel, cliques, triple, islands;
  for (Index i = 1; i < 300; ++i) star.emplace_back(0, i);
  for (Index i = 0; i < 400; ++i) wheel.emplace_back(i, (i + 1) % 400), wheel.emplace_back(400, i);
  for (Index i = 0; i < 300; ++i) {
    for (Index j = i / 10 * 10; j < i; ++j) cliques.emplace_back(i, j);
  }
  for (const auto& [a, b] : box_edges(9, 8, 1, true)) {  // three unknowns per node
    for (Index s = 0; s < 3; ++s) {
      for (Index t = 0; t < 3; ++t)
        triple.emplace_back(3 * a + s, 3 * b + t), triple.emplace_back(3 * a + s, 3 * a + t);
    }
  }
  for (const auto& [a, b] : box_edges(12, 12, 1))
    islands.emplace_back(a, b), islands.emplace_back(144 + a, 144 + b);
  std::vector<Edge> complete;
  for (Index i = 0; i < 150; ++i) {
    for (Index j = 0; j < i; ++j) complete.emplace_back(i, j);
  }
  std::vector<Edge> nearly_complete(complete.begin() + 1, complete.end());
  add("one", 1, {});
  add("two apart", 2, {});
  add("two joined", 2, {{0, 1}});
  add("diagonal", 500, {});
  add("path", 700, box_edges(700, 1, 1));
  add("star", 300, star);
  add("wheel", 401, wheel);
  add("complete", 150, complete);
  add("nearly complete", 150, nearly_complete);
  add("cliques", 300, cliques);
  add("three unknowns per node", 216, triple);
  add("two islands", 300, islands);  // and 12 lone vertices
  add("5-point grid", 900, box_edges(30, 30, 1));
  add("9-point grid", 775, box_edges(31, 25, 1, true));
  add("7-point box", 1000, box_edges(10, 10, 10));
  add("sparse random", 600, random_edges(600, 500, random));
  add("random", 500, random_edges(500, 1500, random));
  add("dense random", 200, random_edges(200, 8000, random));
  return result;
}

// Values that make the pattern a symmetric, diagonally dominant matrix.
inline matrix::Csr<double> laplacian(const matrix::Pattern& pattern) {
  matrix::Csr<double> a{.pattern = pattern, .value = {}};
  for (Index i = 0; i < pattern.rows; ++i) {
    for (const Index j : pattern.row(i)) a.value.push_back(i == j ? double(pattern.row(i).size()) : -1.0);
  }
  return a;
}

}  // namespace trisweep::test
