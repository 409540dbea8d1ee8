#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "apps/bem/helmholtz.hpp"
#include "apps/bem/single_layer.hpp"
#include "apps/bem/spheres.hpp"
#include "support/largest.hpp"
#include "trisweep/hmatrix/integral_kernel.hpp"
#include "trisweep/hmatrix/point_kernel.hpp"

namespace trisweep::bem {
namespace {

const Corners scalene = {Point{0.1, 0.2, 0.3}, Point{1.3, 0.1, 0.4}, Point{0.4, 1.1, 0.9}};

// Int f(y) dS by midpoints of n^2 equal parts.
template <class F>
auto brute_force(const Corners& c, int n, const F& f) {
  const Point a = (1.0 / n) * (c[1] - c[0]), b = (1.0 / n) * (c[2] - c[0]);
  decltype(f(a)) sum{};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; i + j < n; ++j) {
      sum += f(c[0] + (i + 1.0 / 3) * a + (j + 1.0 / 3) * b);
      if (i + j + 1 < n) sum += f(c[0] + (i + 2.0 / 3) * a + (j + 2.0 / 3) * b);
    }
  }
  return area(c) / (double(n) * n) * sum;
}

TEST(TriangleFrame, EquilateralAtItsCentroid) {
  for (const double side : {1e-3, 1.0, 40.0}) {
    const Corners c = {Point{0, 0, 1}, Point{side, 0, 1}, Point{side / 2, side * std::sqrt(0.75), 1}};
    const double expected = std::sqrt(3.0) * side * std::log(2 + std::sqrt(3.0));
    EXPECT_NEAR(TriangleFrame(c).inverse_distance(centroid(c)) / expected, 1, 1e-14);
  }
}

TEST(TriangleFrame, AgreesWithQuadratureNearAndFar) {
  const TriangleFrame frame(scalene);
  testing_support::Largest error;
  // Beside, above, below, over an edge and a corner, and at distances where the series begins.
  for (const Point& p : {Point{0.6, 0.5, 2}, Point{0.6, 0.5, -1}, Point{2, 2, 0.5}, Point{0.7, 0.15, 1.5},
                         Point{0.1, 0.2, 1.7}, Point{-3, 1, 0}, Point{8, -4, 6}, Point{20, 3, 7}}) {
    const double expected = brute_force(scalene, 400, [&](const Point& y) { return 1 / length(y - p); });
    error.add(frame.inverse_distance(p) / expected - 1);
  }
  EXPECT_LT(error.value(), 1e-5);
  EXPECT_LT(-error.value(), 1e-5);
}

// The centroid's monopole and the quadrupole moment, exact to (h / r)^3.
double far_field(const Corners& c, const Point& p) {
  const Point from = p - centroid(c);
  const double r = length(from);
  double second = 0;
  for (const Point& corner : c) {
    const Point arm = corner - centroid(c);
    second += (3 * dot(arm, from) * dot(arm, from) / (r * r) - dot(arm, arm)) / 12;
  }
  return area(c) / r * (1 + second / (2 * r * r));
}

TEST(TriangleFrame, LosesNoDigitsFarAway) {
  const TriangleFrame frame(scalene);
  testing_support::Largest error;
  for (const double far : {1e3, 1e4, 1e5}) {
    for (const Point& direction : {Point{1, 0, 0}, Point{0.3, -0.8, 0.5}, Point{0, 0.1, 1}}) {
      const Point p = centroid(scalene) + far * direction;
      error.add(std::abs(frame.inverse_distance(p) / far_field(scalene, p) - 1));
    }
  }
  EXPECT_LT(error.value(), 1e-8);  // the next moment at 10^3, rounding at 10^5
  const Point p = centroid(scalene) + Point{0, 3e3, 4e3};
  EXPECT_NEAR(frame.inverse_distance(p) / far_field(scalene, p), 1, 1e-11);
}

TEST(TriangleFrame, IsFiniteOnEdgesAndCorners) {
  const TriangleFrame frame(scalene);
  const double inside = frame.inverse_distance(centroid(scalene));
  for (std::size_t k = 0; k < 3; ++k) {
    const Point middle = 0.5 * (scalene[k] + scalene[(k + 1) % 3]);
    for (const Point& p : {scalene[k], middle, 2 * middle - scalene[k]}) {
      EXPECT_GT(frame.inverse_distance(p), 0.2 * inside);
      EXPECT_LT(frame.inverse_distance(p), inside);
      // Continuous there.
      const Point near = p + 1e-9 * (centroid(scalene) - p);
      EXPECT_NEAR(frame.inverse_distance(p), frame.inverse_distance(near), 1e-6);
    }
  }
}

TEST(HelmholtzLayer, AgreesWithQuadrature) {
  const TriangleMesh mesh = sphere_mesh({4, 3}, 1, {0, 0, 0});
  const double k = 2;
  const HelmholtzLayer layer(mesh, k);
  testing_support::Largest near, far;
  for (const Index j : {5, 40, 71}) {
    const Point p = centroid(mesh.corners(0));
    const auto expected = brute_force(mesh.corners(j), 200, [&](const Point& y) {
      const double r = length(y - p);
      return std::polar(1 / (4 * std::numbers::pi * r), k * r);
    });
    (j == 5 ? near : far).add(std::abs(layer(0, j) - expected) / std::abs(expected));
  }
  EXPECT_LT(near.value(), 1e-3);  // r alone is not smooth beside the triangle
  EXPECT_LT(far.value(), 1e-5);
  // Of waves that are endless nothing is left but statics, also where a triangle meets itself.
  const SingleLayer statics(mesh, 1 / (4 * std::numbers::pi));
  EXPECT_LT(std::abs(HelmholtzLayer(mesh, 0)(3, 3) - statics(3, 3)), 1e-16);
  EXPECT_NEAR(layer(3, 3).imag(), k * area(mesh.corners(3)) / (4 * std::numbers::pi), 0.01);
}

}  // namespace
}  // namespace trisweep::bem
