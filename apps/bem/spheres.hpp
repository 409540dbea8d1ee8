#pragma once
#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

// A subdivided dipyramid projected to a sphere: ring i of nodes is at the polar angle i pi / 2n and has k
// min(i, 2n - i) nodes. 2 k n^2 triangles.
struct Rings {
  Index k;
  Index n;

  Offset triangles() const { return 2 * Offset{k} * n * n; }
};

TriangleMesh sphere_mesh(const Rings& rings, double radius, const Point& centre);

// Rings with exactly `triangles` triangles, if possible, with k = 6 (nearly regular triangles) or a k close
// to it; otherwise with a number as close as k = 6 allows, 12 or more.
Rings rings_for(Index triangles);

// Charge of an isolated conducting sphere with this radius (m) and potential (V).
double charge_of_sphere(double radius, double potential);
// Charge of the sphere at +potential of two such spheres at +potential and -potential, with centres
// `distance` apart: 4 pi eps0 a V sinh(mu) sum_{m >= 1} 1 / sinh(m mu) with cosh(mu) = distance / 2a (image
// charges).
double charge_of_opposite_spheres(double radius, double distance, double potential);

inline constexpr double vacuum_permittivity = 8.8541878128e-12;  // F / m, CODATA 2018

}  // namespace trisweep::bem
