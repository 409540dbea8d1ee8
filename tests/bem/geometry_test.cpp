#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <numeric>

#include "apps/bem/box_union.hpp"
#include "apps/bem/conductors.hpp"
#include "apps/bem/humans.hpp"
#include "apps/bem/spheres.hpp"
#include "apps/bem/surface_check.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::bem {
namespace {

// How often each edge is met in either direction: a closed surface with normals to one side meets each once.
std::map<std::pair<Index, Index>, int> edges_of(const TriangleMesh& mesh) {
  std::map<std::pair<Index, Index>, int> edges;
  for (const auto& t : mesh.triangle) {
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  return edges;
}

// By its nodes' numbers, and as a file's surface would be by their places.
void expect_closed(TriangleMesh mesh) {
  const auto edges = edges_of(mesh);
  EXPECT_EQ(edges.size(), 3 * mesh.triangle.size());
  for (const auto& [edge, count] : edges) {
    ASSERT_EQ(count, 1);
    ASSERT_TRUE(edges.contains({edge.second, edge.first}));
  }
  MeshRepairs none;
  EXPECT_NO_THROW(check_surface(mesh, "made", {.closed = true}, none));
}

// Within.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (Index t = 0; t < mesh.size(); ++t) {
    const Corners c = mesh.corners(t);
    sum += dot(c[0], cross(c[1], c[2])) / 6;
  }
  return sum;
}

double total_area(const TriangleMesh& mesh) {
  const auto area = areas(mesh);
  return std::accumulate(area.begin(), area.end(), 0.0);
}

// Diameter of the circle around it over that in it, 2 for a regular one.
double worst_shape(const TriangleMesh& mesh) {
  double worst = 0;
  for (Index t = 0; t < mesh.size(); ++t) {
    const Corners c = mesh.corners(t);
    const double x = length(c[1] - c[0]), y = length(c[2] - c[1]), z = length(c[0] - c[2]);
    worst = std::max(worst, x * y * z * (x + y + z) / (8 * area(c) * area(c)) / 2);
  }
  return worst;
}

TEST(BoxUnion, TwoBoxesThatMeetAreOneBody) {
  const std::array<Box, 2> boxes = {Box{{0, 0, 0}, {2, 1, 1}}, Box{{0, 0, 1}, {1, 1, 3}}};
  for (const double width : {5.0, 0.4, 0.13}) {
    const BoxUnion both(boxes, width);
    const TriangleMesh mesh = both.mesh();
    EXPECT_EQ(mesh.size(), both.triangles());
    expect_closed(mesh);
    EXPECT_NEAR(volume(mesh), 4, 1e-12);
    EXPECT_NEAR(total_area(mesh), 10 + 10 - 2, 1e-12);
  }
}

TEST(BoxUnion, EdgesAreSplitWithoutMovingTheSurface) {
  TriangleMesh mesh = BoxUnion(std::array<Box, 1>{Box{{0, 0, 0}, {1, 2, 3}}}, 1).mesh();
  for (const Index triangles : {45, 46, 101, 400}) {
    split_longest_edges(mesh, triangles);
    EXPECT_EQ(mesh.size(), triangles / 2 * 2);
    expect_closed(mesh);
    EXPECT_NEAR(volume(mesh), 6, 1e-12);
    EXPECT_NEAR(total_area(mesh), 22, 1e-12);
  }
}

TEST(Humans, AreClosedAndAsLargeAsTheirBoxes) {
  // Of the head, neck, trunk, shoulders, arms, legs and toes; areas less twice where these touch.
  const double litres = 8 + 0.64 + 32.256 + 1.2 + 10.24 + 38.528 + 2.464;
  const double of_boxes = 0.244 + 0.0448 + 0.6976 + 0.088 + 0.4928 + 1.1216 + 0.1416;
  const double touching = 0.008 + 0.008 + 0.02 + 0.02 + 0.0448 + 0.0224;
  for (const Index triangles : {600, 1111, 5000, 19664}) {
    const TriangleMesh human = human_mesh(triangles);
    EXPECT_EQ(human.size(), triangles / 2 * 2);
    expect_closed(human);
    EXPECT_NEAR(volume(human), litres / 1000, 1e-12);
    EXPECT_NEAR(total_area(human), of_boxes - 2 * touching, 1e-12);
    if (triangles >= 5000) EXPECT_LT(worst_shape(human), 3);
  }
  EXPECT_LT(human_mesh(1).size(), 600);
}

TEST(Conductors, HaveTheSizesOfThePaper) {
  for (const NamedObject& object : objects()) {
    if (object.triangles == 0 || object.triangles > 400000) continue;
    const Conductors made = make_object(object.name, {});
    const Index closed = object.name == "100ts" ? 101400 : object.triangles;
    EXPECT_EQ(made.mesh.size(), closed) << object.name;
    EXPECT_EQ(made.potential.size(), usize(closed)) << object.name;
  }
}

TEST(Conductors, HumansStandApartInAField) {
  const Conductors humans =
      make_object("human", {.triangles = 2400, .distance = 0.7, .array = 2, .field = 3});
  EXPECT_EQ(humans.mesh.size(), 4 * humans.counted);
  expect_closed(humans.mesh);
  EXPECT_NEAR(volume(humans.mesh), 4 * volume(human_mesh(600)), 1e-12);
  const auto points = centroids(humans.mesh);
  for (std::size_t t = 0; t < points.size(); ++t) EXPECT_EQ(humans.potential[t], 3 * points[t][2]);
  EXPECT_THROW(make_object("human", {.triangles = 2400, .distance = 0.6}), Error);
  EXPECT_THROW(make_object("human", {.triangles = 600, .field = std::nan("")}), Error);
}

TEST(Spheres, AreClosedRoundAndOfTheCountsOfThePaper) {
  for (const Rings rings : {Rings{6, 1}, Rings{4, 3}, Rings{6, 20}, Rings{25, 45}}) {
    const TriangleMesh mesh = sphere_mesh(rings, 2, {0, 0, 0});
    EXPECT_EQ(Offset{mesh.size()}, rings.triangles());
    EXPECT_EQ(static_cast<Index>(mesh.node.size()), rings.k * rings.n * rings.n + 2);
    for (const Point& p : mesh.node) ASSERT_NEAR(length(p), 2, 1e-14);
    expect_closed(mesh);
  }
  const TriangleMesh fine = sphere_mesh({6, 20}, 2, {1, 2, 3});
  EXPECT_NEAR(volume(fine), 4 * std::numbers::pi / 3 * 8, 0.2);
  EXPECT_NEAR(total_area(fine), 16 * std::numbers::pi, 0.2);
  const auto area = areas(fine);
  EXPECT_GT(*std::min_element(area.begin(), area.end()), 0);
}

TEST(Spheres, RingsForANumberOfTriangles) {
  for (const Index count : {4800, 10400, 10800, 25392, 101250, 288000, 338000, 1004400, 3998400, 10368000})
    EXPECT_EQ(rings_for(count).triangles(), count) << count;
  EXPECT_EQ(rings_for(5002).k, 6);
  EXPECT_NEAR(double(rings_for(5002).triangles()), 5000, 500);
  for (const Index few : {0, 1}) EXPECT_EQ(rings_for(few).triangles(), 12);
  EXPECT_EQ(make_object("spheres", {.triangles = 1}).mesh.size(), 24);
}

TEST(Spheres, OraclesAgreeWithTheirLimits) {
  EXPECT_NEAR(charge_of_opposite_spheres(0.25, 1, 1), 3.73032569e-11, 1e-19);
  EXPECT_NEAR(charge_of_opposite_spheres(0.25, 1e6, 1) / charge_of_sphere(0.25, 1), 1, 1e-6);
}

}  // namespace
}  // namespace trisweep::bem
