#include "apps/bem/spheres.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trisweep::bem {
namespace {

constexpr double pi = std::numbers::pi;

Index nodes_of_ring(const Rings& rings, Index i) {
  return std::max(rings.k * std::min(i, 2 * rings.n - i), Index{1});
}

// The triangles between a ring of `inner` nodes per sector and the next ring of inner + 1, whose first nodes
// are given.
struct Band {
  Index k, inner;
  Index inner_first, outer_first;
  bool inward;  // the outer ring comes first, seen from the north pole

  Index inner_node(Index s, Index a) const {
    return inner_first + (inner == 0 ? 0 : (s * inner + a) % (k * inner));
  }
  Index outer_node(Index s, Index a) const { return outer_first + (s * (inner + 1) + a) % (k * (inner + 1)); }

  void add_to(std::vector<std::array<Index, 3>>& triangles) const {
    const auto add = [&](Index a, Index b, Index c) {
      triangles.push_back(inward ? std::array{a, c, b} : std::array{a, b, c});
    };
    for (Index s = 0; s < k; ++s) {
      for (Index a = 0; a <= inner; ++a) {
        add(inner_node(s, a), outer_node(s, a), outer_node(s, a + 1));
        if (a < inner) add(inner_node(s, a), outer_node(s, a + 1), inner_node(s, a + 1));
      }
    }
  }
};

}  // namespace

TriangleMesh sphere_mesh(const Rings& rings, double radius, const Point& centre) {
  TriangleMesh mesh;
  std::vector<Index> first;
  for (Index i = 0; i <= 2 * rings.n; ++i) {
    first.push_back(static_cast<Index>(mesh.node.size()));
    const double theta = double(i) * pi / (2.0 * rings.n);
    const Index nodes = nodes_of_ring(rings, i);
    for (Index j = 0; j < nodes; ++j) {
      const double phi = 2 * pi * double(j) / double(nodes);
      mesh.node.push_back(centre + radius * Point{std::sin(theta) * std::cos(phi),
                                                  std::sin(theta) * std::sin(phi), std::cos(theta)});
    }
  }
  for (Index i = 0; i < 2 * rings.n; ++i) {
    const bool south = i >= rings.n;
    const Index inner = south ? i + 1 : i, outer = south ? i : i + 1;
    Band{rings.k, std::min(inner, 2 * rings.n - inner), first[usize(inner)], first[usize(outer)], south}
        .add_to(mesh.triangle);
  }
  return mesh;
}

Rings rings_for(Index triangles) {
  constexpr Index regular = 6;
  const auto nearest = [&](Index k) {
    return Rings{k, std::max(Index{1}, static_cast<Index>(std::lround(std::sqrt(triangles / (2.0 * k)))))};
  };
  for (const Index k : {6, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 25, 30, 31, 40, 62, 102}) {
    const Rings rings = nearest(k);
    if (rings.triangles() == triangles) return rings;
  }
  return nearest(regular);
}

double charge_of_sphere(double radius, double potential) {
  return 4 * pi * vacuum_permittivity * radius * potential;
}

double charge_of_opposite_spheres(double radius, double distance, double potential) {
  const double mu = std::acosh(distance / (2 * radius));
  double sum = 0;
  for (int m = 1; m * mu < 700; ++m) {
    const double term = 1 / std::sinh(m * mu);
    sum += term;
    if (term < 1e-17 * sum) break;
  }
  return charge_of_sphere(radius, potential) * std::sinh(mu) * sum;
}

}  // namespace trisweep::bem
