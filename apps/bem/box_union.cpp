#include "apps/bem/box_union.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace trisweep::bem {
namespace {

// Nodes at points of a lattice, each created once.
class LatticeNodes {
 public:
  explicit LatticeNodes(TriangleMesh& mesh) : mesh_(mesh) {}

  Index at(const std::array<Index, 3>& place, const Point& p) {
    const auto [found, is_new] = number_.try_emplace(place, static_cast<Index>(mesh_.node.size()));
    if (is_new) mesh_.node.push_back(p);
    return found->second;
  }

 private:
  TriangleMesh& mesh_;
  std::map<std::array<Index, 3>, Index> number_;
};

}  // namespace

double BoxUnion::Axis::coordinate(Index interval, Index part) const {
  if (part == 0) return side[usize(interval)];
  const double low = side[usize(interval)], high = side[usize(interval) + 1];
  const Index count = parts[usize(interval)];
  return part == count ? high : low + (high - low) * part / count;
}

BoxUnion::Axis BoxUnion::axis_of(std::span<const Box> boxes, std::size_t d, double width) {
  Axis axis;
  for (const Box& box : boxes) {
    axis.side.push_back(box.low[d]);
    axis.side.push_back(box.high[d]);
  }
  std::ranges::sort(axis.side);
  const auto repeated = std::ranges::unique(axis.side);
  axis.side.erase(repeated.begin(), repeated.end());
  for (std::size_t i = 0; i + 1 < axis.side.size(); ++i)
    axis.parts.push_back(
        std::max(Index{1}, static_cast<Index>(std::lround((axis.side[i + 1] - axis.side[i]) / width))));
  return axis;
}

BoxUnion::BoxUnion(std::span<const Box> boxes, double width)
    : axis_{axis_of(boxes, 0, width), axis_of(boxes, 1, width), axis_of(boxes, 2, width)} {
  const auto covers = [](const Box& box, const Point& p) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (!(box.low[d] < p[d] && p[d] < box.high[d])) return false;
    }
    return true;
  };
  const auto middle = [](const Axis& axis, Index i) {
    return 0.5 * (axis.side[usize(i)] + axis.side[usize(i) + 1]);
  };
  for (Index i = 0; i < axis_[0].intervals(); ++i) {
    for (Index j = 0; j < axis_[1].intervals(); ++j) {
      for (Index k = 0; k < axis_[2].intervals(); ++k) {
        const Point p{middle(axis_[0], i), middle(axis_[1], j), middle(axis_[2], k)};
        inside_.push_back(std::ranges::any_of(boxes, [&](const Box& box) { return covers(box, p); }));
      }
    }
  }
}

bool BoxUnion::is_inside(const Cell& cell) const {
  for (std::size_t d = 0; d < 3; ++d) {
    if (cell[d] < 0 || cell[d] >= axis_[d].intervals()) return false;
  }
  return inside_[(usize(cell[0]) * usize(axis_[1].intervals()) + usize(cell[1])) *
                     usize(axis_[2].intervals()) +
                 usize(cell[2])] != 0;
}

template <class Visit>
void BoxUnion::for_each_face(const Visit& visit) const {
  for (Index i = 0; i < axis_[0].intervals(); ++i) {
    for (Index j = 0; j < axis_[1].intervals(); ++j) {
      for (Index k = 0; k < axis_[2].intervals(); ++k) {
        const Cell cell{i, j, k};
        if (!is_inside(cell)) continue;
        for (std::size_t d = 0; d < 3; ++d) {
          for (const bool above : {false, true}) {
            Cell beside = cell;
            beside[d] += above ? 1 : -1;
            if (!is_inside(beside)) visit(cell, d, above);
          }
        }
      }
    }
  }
}

Index BoxUnion::triangles() const {
  Index count = 0;
  for_each_face([&](const Cell& cell, std::size_t d, bool) {
    const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
    count += 2 * axis_[a].parts[usize(cell[a])] * axis_[b].parts[usize(cell[b])];
  });
  return count;
}

TriangleMesh BoxUnion::mesh() const {
  TriangleMesh mesh;
  LatticeNodes nodes(mesh);
  std::array<std::vector<Index>, 3> first;  // first part of each interval, counted along the axis
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = {0};
    for (const Index parts : axis_[d].parts) first[d].push_back(first[d].back() + parts);
  }
  for_each_face([&](const Cell& cell, std::size_t d, bool above) {
    const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
    const auto node = [&](Index of_a, Index of_b) {
      Cell part{};
      part[d] = above ? axis_[d].parts[usize(cell[d])] : 0;
      part[a] = of_a;
      part[b] = of_b;
      Cell place{};
      Point p{};
      for (std::size_t e = 0; e < 3; ++e) {
        place[e] = first[e][usize(cell[e])] + part[e];
        p[e] = axis_[e].coordinate(cell[e], part[e]);
      }
      return nodes.at(place, p);
    };
    const auto add = [&](Index p, Index q, Index r) {
      mesh.triangle.push_back(above ? std::array{p, q, r} : std::array{p, r, q});
    };
    for (Index i = 0; i < axis_[a].parts[usize(cell[a])]; ++i) {
      for (Index j = 0; j < axis_[b].parts[usize(cell[b])]; ++j) {
        add(node(i, j), node(i + 1, j), node(i + 1, j + 1));
        add(node(i, j), node(i + 1, j + 1), node(i, j + 1));
      }
    }
  });
  return mesh;
}

}  // namespace trisweep::bem
