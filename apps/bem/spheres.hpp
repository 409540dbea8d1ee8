#pragma once
#include "apps/bem/triangle_mesh.hpp"

namespace trisweep::bem {

// A dipyramid blown up to a sphere: ring i of nodes is at the polar angle i pi / 2n and has k min(i, 2n - i)
// of them. 2 k n^2 triangles.
struct Rings {
  Index k;
  Index n;

  Offset triangles() const { return 2 * Offset{k} * n * n; }
};

TriangleMesh sphere_mesh(const Rings& rings, double radius, const Point& centre);

// Rings that give `triangles` where some do, with k = 6 (of triangles that are nearly regular) or a k close
// to it; else as close to it as k = 6 comes, 12 or more.
Rings rings_for(Index triangles);

// The charge of a conducting sphere of that radius (m) and potential (V) that is alone.
double charge_of_sphere(double radius, double potential);
// Of the one at +potential of two such at +potential and -potential, whose centres are `distance` apart:
// 4 pi eps0 a V sinh(mu) sum_{m >= 1} 1 / sinh(m mu) with cosh(mu) = distance / 2a (image charges).
double charge_of_opposite_spheres(double radius, double distance, double potential);

inline constexpr double vacuum_permittivity = 8.8541878128e-12;  // F / m, CODATA 2018

}  // namespace trisweep::bem
