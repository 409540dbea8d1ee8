#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <numeric>

#include "trisweep/hmatrix/spheres.hpp"

namespace trisweep::hmatrix {
namespace {

// How often each edge is met in either direction: a closed surface with normals to one side meets each once.
std::map<std::pair<Index, Index>, int> edges_of(const TriangleMesh& mesh) {
  std::map<std::pair<Index, Index>, int> edges;
  for (const auto& t : mesh.triangle) {
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  return edges;
}

// Six times the volume within.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (Index t = 0; t < mesh.size(); ++t) {
    const Corners c = mesh.corners(t);
    sum += dot(c[0], cross(c[1], c[2])) / 6;
  }
  return sum;
}

TEST(Spheres, AreClosedRoundAndOfTheCountsOfThePaper) {
  for (const Rings rings : {Rings{6, 1}, Rings{4, 3}, Rings{6, 20}, Rings{25, 45}}) {
    const TriangleMesh mesh = sphere_mesh(rings, 2, {0, 0, 0});
    EXPECT_EQ(Offset{mesh.size()}, rings.triangles());
    EXPECT_EQ(static_cast<Index>(mesh.node.size()), rings.k * rings.n * rings.n + 2);
    for (const Point& p : mesh.node) ASSERT_NEAR(length(p), 2, 1e-14);
    const auto edges = edges_of(mesh);
    EXPECT_EQ(edges.size(), 3 * mesh.triangle.size());
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1);
      ASSERT_TRUE(edges.contains({edge.second, edge.first}));
    }
  }
  const TriangleMesh fine = sphere_mesh({6, 20}, 2, {1, 2, 3});
  EXPECT_NEAR(volume(fine), 4 * std::numbers::pi / 3 * 8, 0.2);
  const auto area = areas(fine);
  EXPECT_NEAR(std::accumulate(area.begin(), area.end(), 0.0), 16 * std::numbers::pi, 0.2);
  EXPECT_GT(*std::min_element(area.begin(), area.end()), 0);
}

TEST(Spheres, RingsForANumberOfTriangles) {
  for (const Index count : {4800, 10400, 10800, 25392, 101250, 288000, 338000, 1004400})
    EXPECT_EQ(rings_for(count).triangles(), count) << count;
  EXPECT_EQ(rings_for(5002).k, 6);
  EXPECT_NEAR(double(rings_for(5002).triangles()), 5000, 500);
  EXPECT_EQ(rings_for(1).triangles(), 12);
}

TEST(Spheres, OraclesAgreeWithTheirLimits) {
  EXPECT_NEAR(charge_of_opposite_spheres(0.25, 1, 1), 3.73032569e-11, 1e-19);
  EXPECT_NEAR(charge_of_opposite_spheres(0.25, 1e6, 1) / charge_of_sphere(0.25, 1), 1, 1e-6);
}

}  // namespace
}  // namespace trisweep::hmatrix
