// kkt3d: the optimality (Karush-Kuhn-Tucker) system of boundary control of a 3D elliptic equation, shaped
// like the nlpkkt matrices: K = [H J'; J 0].
//
// Unknowns: N^3 states at the inner points of a (N+2)^3 grid, 6 N^2 controls at the points of its six faces
// (the cube's edges and corners carry none), N^3 multipliers. H is diagonal and positive; J is the N^3 x (N^3
// + 6 N^2) compact 27-point Laplacian (128, -14, -3, -1 for centre, face, edge and corner neighbours), whose
// state part alone is symmetric positive definite, so that J has full rank and K is nonsingular. n = 2N^3 +
// 6N^2; nnz = 55N^3 + 6N^2 - 72N + 32, and N^3 zeros stored on the diagonal of the lower block besides.
// Symmetric indefinite, with exactly N^3 negative eigenvalues.

#include <cmath>
#include <optional>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

constexpr double state_weight = 1;
constexpr double control_weight = 0.1;

double laplacian(const Point& p, const Point& q) {
  constexpr double weight[] = {128, -14, -3, -1};
  return weight[std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]) + std::abs(p[2] - q[2])];
}

// The point of the face `axis` = `level` (-1 or N) at (u, v) along the other two axes.
Point face_point(std::size_t axis, Index level, Index u, Index v) {
  Point p{};
  p[axis] = level;
  p[(axis + 1) % 3] = u;
  p[(axis + 2) % 3] = v;
  return p;
}

// The column of J of a grid point, coordinates in -1 .. N; none at the cube's edges and corners.
std::optional<Index> column(const Cube& inner, const Point& p) {
  if (inner.contains(p)) return inner.index(p);
  const Index n = inner.side();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index u = p[(axis + 1) % 3], v = p[(axis + 2) % 3];
    if ((p[axis] == -1 || p[axis] == n) && 0 <= u && u < n && 0 <= v && v < n) {
      const Index face = 2 * Index(axis) + (p[axis] == n);
      return inner.size() + n * (n * face + v) + u;
    }
  }
  return std::nullopt;
}

}  // namespace

matrix::AnyCsr kkt3d(const RecipeOptions& options) {
  const Index n = options.n;
  const Cube inner{n};
  const Index primal = inner.size() + 6 * n * n;
  const Offset pairs = 3 * Offset{n} - 2;
  const Offset jacobian = pairs * pairs * (pairs + 6);
  CsrBuilder<double> a(primal + inner.size(), primal + inner.size(), 2 * jacobian + primal + inner.size());

  const auto primal_row = [&](const Point& p, double weight) {
    a.add(*column(inner, p), weight);
    for_each_neighbour(p, [&](const Point& q) {
      if (inner.contains(q)) a.add(primal + inner.index(q), laplacian(p, q));
    });
    a.end_row();
  };

  inner.for_each([&](const Point& p) { primal_row(p, state_weight); });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const Index level : {-1, n}) {
      for (Index v = 0; v < n; ++v) {
        for (Index u = 0; u < n; ++u) primal_row(face_point(axis, level, u, v), control_weight);
      }
    }
  }
  inner.for_each([&](const Point& p) {
    for_each_neighbour(p, [&](const Point& q) {
      if (const auto j = column(inner, q)) a.add(*j, laplacian(p, q));
    });
    a.add(primal + inner.index(p), 0.0);
    a.end_row();
  });
  return std::move(a).finish();
}

}  // namespace trisweep::gallery::recipes
