#include <map>
#include <queue>

#include "apps/bem/box_union.hpp"

namespace trisweep::bem {
namespace {

class EdgeSplitter {
 public:
  explicit EdgeSplitter(TriangleMesh& mesh) : mesh_(mesh) {
    for (Index t = 0; t < mesh.size(); ++t) place(t, mesh.triangle[usize(t)]);
  }

  void split_longest() {
    Edge edge = longest_.top();
    while (!side_.contains({edge.from, edge.to})) {  // the edge has been split
      longest_.pop();
      edge = longest_.top();
    }
    longest_.pop();
    const auto middle = static_cast<Index>(mesh_.node.size());
    mesh_.node.push_back(0.5 * (mesh_.node[usize(edge.from)] + mesh_.node[usize(edge.to)]));
    halve(edge.from, edge.to, middle);
    halve(edge.to, edge.from, middle);
  }

 private:
  struct Edge {
    double length;
    Index from, to;

    auto operator<=>(const Edge&) const = default;
  };

  void place(Index t, const std::array<Index, 3>& corners) {
    mesh_.triangle[usize(t)] = corners;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index from = corners[k], to = corners[(k + 1) % 3];
      side_[{from, to}] = t;
      if (from < to) longest_.push({length(mesh_.node[usize(to)] - mesh_.node[usize(from)]), from, to});
    }
  }

  // Splits the triangle that passes the edge in this direction, if there is one.
  void halve(Index from, Index to, Index middle) {
    const auto edge = side_.extract({from, to});
    if (edge.empty()) return;
    const Index t = edge.mapped();
    Index third = -1;
    for (const Index corner : mesh_.triangle[usize(t)]) {
      if (corner != from && corner != to) third = corner;
    }
    place(t, {from, middle, third});
    mesh_.triangle.emplace_back();
    place(mesh_.size() - 1, {middle, to, third});
  }

  TriangleMesh& mesh_;
  std::map<std::pair<Index, Index>, Index> side_;  // triangle that passes an edge in this direction
  std::priority_queue<Edge> longest_;              // each edge once, from its lower node
};

}  // namespace

void split_longest_edges(TriangleMesh& mesh, Index triangles) {
  EdgeSplitter splitter(mesh);
  while (mesh.size() + 2 <= triangles) splitter.split_longest();
}

}  // namespace trisweep::bem
