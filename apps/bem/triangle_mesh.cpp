#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

std::vector<Point> centroids(const TriangleMesh& mesh) {
  std::vector<Point> points;
  for (Index t = 0; t < mesh.size(); ++t) points.push_back(centroid(mesh.corners(t)));
  return points;
}

std::vector<double> areas(const TriangleMesh& mesh) {
  std::vector<double> values;
  for (Index t = 0; t < mesh.size(); ++t) values.push_back(area(mesh.corners(t)));
  return values;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto first = static_cast<Index>(mesh.node.size());
  mesh.node.insert(mesh.node.end(), other.node.begin(), other.node.end());
  for (const auto& [a, b, c] : other.triangle) mesh.triangle.push_back({first + a, first + b, first + c});
}

}  // namespace trisweep::bem
