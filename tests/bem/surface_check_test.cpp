#include "apps/bem/surface_check.hpp"

#include <gtest/gtest.h>

#include "apps/bem/spheres.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::bem {
namespace {

// The message with which the check refuses the surface; empty when it accepts it.
std::string refusal(TriangleMesh mesh, const MeshOptions& options = {}) {
  MeshRepairs repairs;
  try {
    check_surface(mesh, "a.stl", options, repairs);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

void expect_refusal(const std::string& message, const std::string& what) {
  EXPECT_NE(message.find("a.stl"), std::string::npos) << message;
  EXPECT_NE(message.find(what), std::string::npos) << message;
  EXPECT_NE(message.find("remedy"), std::string::npos) << message;
}

double volume_of(const TriangleMesh& mesh) {
  double volume = 0;
  for (Index t = 0; t < mesh.size(); ++t) {
    const Corners c = mesh.corners(t);
    volume += dot(c[0], cross(c[1], c[2])) / 6;
  }
  return volume;
}

const TriangleMesh sphere = sphere_mesh({4, 4}, 1, {0, 0, 0});

// Each triangle with corners of its own, as STL has them.
TriangleMesh apart(const TriangleMesh& mesh) {
  TriangleMesh own;
  for (Index t = 0; t < mesh.size(); ++t) {
    for (const Point& p : mesh.corners(t)) own.node.push_back(p);
    own.triangle.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return own;
}

TEST(SurfaceCheck, SpheresAreAsTheyShouldBe) {
  EXPECT_EQ(refusal(sphere, {.closed = true}), "");
  EXPECT_EQ(refusal(apart(sphere), {.closed = true}), "");
  TriangleMesh pair = sphere;
  append(pair, sphere_mesh({5, 3}, 0.5, {3, 0, 0}));
  EXPECT_EQ(refusal(pair, {.closed = true}), "");
}

TEST(SurfaceCheck, DuplicatesAreNamedOrRemoved) {
  TriangleMesh mesh = apart(sphere);
  const auto [a, b, c] = mesh.triangle[3];
  mesh.triangle.push_back({b, a, c});
  expect_refusal(refusal(mesh), "facet 129 has the same vertices as facet 4");
  MeshRepairs repairs;
  check_surface(mesh, "a.stl", {.defects = Defects::repair, .closed = true}, repairs);
  EXPECT_EQ(mesh.size(), sphere.size());
  EXPECT_EQ(repairs.duplicated, 1);
  EXPECT_EQ(repairs.turned, 0);
}

TEST(SurfaceCheck, TurnedTrianglesAreNamedOrTurned) {
  TriangleMesh mesh = apart(sphere);
  for (const std::size_t t : {7, 20, 21}) std::swap(mesh.triangle[t][0], mesh.triangle[t][1]);
  expect_refusal(refusal(mesh), "oriented against facet");
  MeshRepairs repairs;
  check_surface(mesh, "a.stl", {.defects = Defects::repair}, repairs);
  EXPECT_EQ(repairs.turned, 3);
  EXPECT_NEAR(volume_of(mesh), volume_of(sphere), 1e-12);
}

TEST(SurfaceCheck, WhatIsInsideOutIsNamedOrTurned) {
  TriangleMesh mesh = sphere;
  for (auto& t : mesh.triangle) std::swap(t[0], t[1]);
  expect_refusal(refusal(mesh), "facet 1 is oriented inwards");
  MeshRepairs repairs;
  check_surface(mesh, "a.stl", {.defects = Defects::repair}, repairs);
  EXPECT_EQ(repairs.turned, sphere.size());
  EXPECT_NEAR(volume_of(mesh), volume_of(sphere), 1e-12);
  // A cavity is meant to be.
  TriangleMesh shell = sphere_mesh({4, 4}, 2, {0, 0, 0}), inner = sphere;
  for (auto& t : inner.triangle) std::swap(t[0], t[1]);
  append(shell, inner);
  EXPECT_EQ(refusal(shell), "");
}

TEST(SurfaceCheck, WhereASurfaceLiesDoesNotTurnIt) {
  for (const double away : {1e7, 1e12}) {
    TriangleMesh mesh = sphere_mesh({4, 4}, 1, {away, -away, away});
    append(mesh, sphere_mesh({4, 4}, 1, {0, away, 2 * away}));
    EXPECT_EQ(refusal(mesh), "") << away;
    for (auto& t : mesh.triangle) std::swap(t[0], t[1]);
    expect_refusal(refusal(mesh), "oriented inwards");
  }
}

TEST(SurfaceCheck, HolesAreRefusedWhereTheyMustNotBe) {
  TriangleMesh mesh = sphere;
  mesh.triangle.erase(mesh.triangle.begin() + 10);
  EXPECT_EQ(refusal(mesh), "");
  expect_refusal(refusal(mesh, {.closed = true}), "not closed");
  expect_refusal(refusal(mesh, {.defects = Defects::repair, .closed = true}), "not closed");
  TriangleMesh fin = sphere;
  const auto [a, b, c] = fin.triangle[0];
  fin.node.push_back({5, 5, 5});
  fin.triangle.push_back({a, b, static_cast<Index>(fin.node.size()) - 1});
  EXPECT_EQ(refusal(fin), "");
  expect_refusal(refusal(fin, {.closed = true}), "with 2 facets");
}

TEST(SurfaceCheck, ASurfaceWithOneSideIsRefused) {
  TriangleMesh band;  // of Moebius
  constexpr Index around = 12;
  for (Index i = 0; i < around; ++i) {
    const double phi = 6.283185307179586 * i / around;
    for (const double s : {-0.3, 0.3}) {
      const double r = 1 + s * std::cos(phi / 2);
      band.node.push_back({r * std::cos(phi), r * std::sin(phi), s * std::sin(phi / 2)});
    }
  }
  for (Index i = 0; i < around; ++i) {
    const bool last = i + 1 == around;
    const Index a = 2 * i, b = a + 1, c = last ? 1 : a + 2, d = last ? 0 : a + 3;
    band.triangle.push_back({a, b, c});
    band.triangle.push_back({c, b, d});
  }
  EXPECT_NE(refusal(band), "");
  expect_refusal(refusal(band, {.defects = Defects::repair}), "one-sided");
}

}  // namespace
}  // namespace trisweep::bem
