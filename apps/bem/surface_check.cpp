#include "apps/bem/surface_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trisweep/core/error.hpp"

namespace trisweep::bem {
namespace {

using Triple = std::array<Index, 3>;

// For each node, the lowest-numbered node at the same point.
std::vector<Index> first_at_same_place(const std::vector<Point>& node) {
  std::vector<Index> order(node.size()), first(node.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) {
    return node[usize(a)] != node[usize(b)] ? node[usize(a)] < node[usize(b)] : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && node[usize(order[i])] == node[usize(order[i - 1])];
    first[usize(order[i])] = same ? first[usize(order[i - 1])] : order[i];
  }
  return first;
}

class SurfaceChecker {
 public:
  SurfaceChecker(TriangleMesh& mesh, const std::filesystem::path& file, const MeshOptions& options,
                 MeshRepairs& repairs)
      : mesh_(mesh), file_(file), options_(options), repairs_(repairs) {}

  void check() {
    const std::vector<Index> first = first_at_same_place(mesh_.node);
    for (const Triple& t : mesh_.triangle)
      corner_.push_back({first[usize(t[0])], first[usize(t[1])], first[usize(t[2])]});
    remove_duplicates();
    list_edges();
    if (options_.closed) require_closed();
    orient();
    turn_outwards();
  }

 private:
  // One of a triangle's three edges, from the lower node to the higher one or (`back`) the reverse.
  struct Edge {
    Index low, high, triangle;
    bool back;
  };
  struct Neighbour {
    Index triangle;
    bool turned;  // oriented oppositely to this triangle
  };

  [[noreturn]] void refuse(Index facet, const std::string& what, const char* remedy) const {
    throw InputError(file_, 0, fmt::format("facet {} {}", facet + 1, what), remedy);
  }
  bool repair() const { return options_.defects == Defects::repair; }

  void remove_duplicates() {
    std::vector<Triple> key = corner_;
    for (Triple& t : key) std::ranges::sort(t);
    std::vector<Index> order(key.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, {}, [&](Index t) { return key[usize(t)]; });
    std::vector<char> extra(key.size());
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (key[usize(order[i])] != key[usize(order[i - 1])]) continue;
      if (!repair())
        refuse(order[i], fmt::format("has the same vertices as facet {}", order[i - 1] + 1),
               "remove one of them, or let --defects repair do it");
      extra[usize(order[i])] = 1;
    }
    std::size_t kept = 0;
    for (std::size_t t = 0; t < extra.size(); ++t) {
      if (extra[t] != 0) continue;
      corner_[kept] = corner_[t];
      mesh_.triangle[kept++] = mesh_.triangle[t];
    }
    repairs_.duplicated += static_cast<Index>(corner_.size() - kept);
    corner_.resize(kept);
    mesh_.triangle.resize(kept);
  }

  void list_edges() {
    for (Index t = 0; t < mesh_.size(); ++t) {
      const Triple& c = corner_[usize(t)];
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = c[k], b = c[(k + 1) % 3];
        edge_.push_back({std::min(a, b), std::max(a, b), t, a > b});
      }
    }
    std::ranges::stable_sort(edge_, {}, [](const Edge& e) { return std::pair(e.low, e.high); });
    neighbour_.resize(corner_.size());
    on_border_.resize(corner_.size());
    for_each_edge([&](std::span<const Edge> same) {
      if (same.size() != 2) {
        for (const Edge& e : same) on_border_[usize(e.triangle)] = 1;
        return;
      }
      const bool turned = same[0].back == same[1].back;
      neighbour_[usize(same[0].triangle)].push_back({same[1].triangle, turned});
      neighbour_[usize(same[1].triangle)].push_back({same[0].triangle, turned});
    });
  }

  // Calls visit() with the group of triangle edges that form each edge of the surface.
  template <class Visit>
  void for_each_edge(const Visit& visit) const {
    for (auto begin = edge_.begin(); begin != edge_.end();) {
      const auto end = std::find_if(
          begin, edge_.end(), [&](const Edge& e) { return e.low != begin->low || e.high != begin->high; });
      visit(std::span<const Edge>(begin, end));
      begin = end;
    }
  }

  void require_closed() const {
    for_each_edge([&](std::span<const Edge> same) {
      if (same.size() == 2) return;
      refuse(same.front().triangle,
             same.size() == 1 ? std::string("has an edge without a neighbor: the surface is not closed")
                              : fmt::format("shares an edge with {} facets", same.size() - 1),
             "close the surface, or leave --closed out");
    });
  }

  // Orients each piece of the surface as its first triangle.
  void orient() {
    turned_.assign(corner_.size(), 0);
    piece_.assign(corner_.size(), -1);
    for (Index seed = 0; seed < mesh_.size(); ++seed) {
      if (piece_[usize(seed)] >= 0) continue;
      std::vector<Index> front = {seed};
      piece_[usize(seed)] = seed;
      while (!front.empty()) {
        const Index t = front.back();
        front.pop_back();
        for (const Neighbour& next : neighbour_[usize(t)]) visit(t, next, seed, front);
      }
    }
    for (Index t = 0; t < mesh_.size(); ++t) {
      if (turned_[usize(t)] != 0) turn(t);
    }
  }

  void visit(Index t, const Neighbour& next, Index seed, std::vector<Index>& front) {
    if (next.turned && !repair())
      refuse(next.triangle, fmt::format("is oriented against facet {}", t + 1),
             "number the corners of all facets counter-clockwise seen from outside, or let --defects repair "
             "do it");
    const char turned = static_cast<char>((turned_[usize(t)] != 0) != next.turned);
    if (piece_[usize(next.triangle)] >= 0) {
      if (turned_[usize(next.triangle)] != turned)
        refuse(next.triangle, "is part of a one-sided surface", "cut it where its sides meet");
      return;
    }
    piece_[usize(next.triangle)] = seed;
    turned_[usize(next.triangle)] = turned;
    front.push_back(next.triangle);
  }

  // Pieces without a border enclose a volume; a piece inside another one is a cavity, with negative volume.
  // The volume of a piece is the same about any point; about one of the piece's own points there is no
  // cancellation, wherever the piece is.
  void turn_outwards() {
    std::vector<char> open(corner_.size());
    for (Index t = 0; t < mesh_.size(); ++t) open[usize(piece_[usize(t)])] |= on_border_[usize(t)];
    double volume = 0;  // six times the volume
    for (Index t = 0; t < mesh_.size(); ++t) {
      const Index piece = piece_[usize(t)];
      if (open[usize(piece)] == 0)
        volume += dot(mesh_.corners(t)[0] - mesh_.corners(piece)[0], normal(mesh_.corners(t)));
    }
    if (volume >= 0) return;
    const auto inverted = [&](Index t) { return open[usize(piece_[usize(t)])] == 0; };
    Index facet = 0;
    while (!inverted(facet)) ++facet;
    if (!repair())
      refuse(facet, "is oriented inwards, as is the whole surface",
             "number the corners of all facets counter-clockwise seen from outside, or let --defects repair "
             "do it");
    for (; facet < mesh_.size(); ++facet) {
      if (inverted(facet)) turn(facet);
    }
  }

  void turn(Index t) {
    std::swap(mesh_.triangle[usize(t)][1], mesh_.triangle[usize(t)][2]);
    ++repairs_.turned;
  }

  TriangleMesh& mesh_;
  const std::filesystem::path& file_;
  const MeshOptions& options_;
  MeshRepairs& repairs_;
  std::vector<Triple> corner_;  // of triangles, one number for each point
  std::vector<Edge> edge_;      // those that form one edge of the surface are adjacent
  std::vector<std::vector<Neighbour>> neighbour_;
  std::vector<char> on_border_, turned_;
  std::vector<Index> piece_;  // piece of the surface, by its first triangle
};

}  // namespace

void check_surface(TriangleMesh& mesh, const std::filesystem::path& file, const MeshOptions& options,
                   MeshRepairs& repairs) {
  SurfaceChecker(mesh, file, options, repairs).check();
}

}  // namespace trisweep::bem
