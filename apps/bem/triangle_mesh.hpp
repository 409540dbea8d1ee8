#pragma once
// Surfaces as triangles.

#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/hmatrix/point.hpp"

namespace trisweep::bem {

using hmatrix::Point;

using Corners = std::array<Point, 3>;

struct TriangleMesh {
  std::vector<Point> node;
  std::vector<std::array<Index, 3>> triangle;  // its nodes; counter-clockwise seen from outside

  Index size() const { return static_cast<Index>(triangle.size()); }
  Corners corners(Index t) const {
    const auto& [a, b, c] = triangle[usize(t)];
    return {node[usize(a)], node[usize(b)], node[usize(c)]};
  }
};

inline Point centroid(const Corners& c) {
  return (1.0 / 3) * (c[0] + c[1] + c[2]);
}
// Normal vector, whose length is twice the area.
inline Point normal(const Corners& c) {
  return cross(c[1] - c[0], c[2] - c[0]);
}
inline double area(const Corners& c) {
  return 0.5 * length(normal(c));
}

std::vector<Point> centroids(const TriangleMesh& mesh);
std::vector<double> areas(const TriangleMesh& mesh);

// Appends `other` to `mesh`.
void append(TriangleMesh& mesh, const TriangleMesh& other);

}  // namespace trisweep::bem
