// Finite differences on grids: s2d9, poisson3d, dirichlet3d, convection3d, transport3d.

#include <algorithm>
#include <cmath>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {

// The compact ("Mehrstellen") 9-point Laplacian times 6 h^2, zero Dirichlet boundary: 20 on the diagonal, -4
// to the four side neighbours, -1 to the four corner neighbours.
matrix::AnyCsr s2d9(const RecipeOptions& options) {
  const Index n = options.n;
  const Offset pairs = 3 * Offset{n} - 2;
  CsrBuilder<double> a(n * n, n * n, pairs * pairs);
  constexpr double weight[] = {20, -4, -1};
  for (Index y = 0; y < n; ++y) {
    for (Index x = 0; x < n; ++x) {
      for (Index v = std::max(y - 1, 0); v <= std::min(y + 1, n - 1); ++v) {
        for (Index u = std::max(x - 1, 0); u <= std::min(x + 1, n - 1); ++u) {
          a.add(u + n * v, weight[std::abs(u - x) + std::abs(v - y)]);
        }
      }
      a.end_row();
    }
  }
  return std::move(a).finish();
}

namespace {

// The six faces of a grid cell, in the order of the neighbours' numbers; the cell itself comes between.
struct Face {
  int axis;
  Index side;
};
constexpr Face lower_faces[] = {{2, -1}, {1, -1}, {0, -1}};
constexpr Face upper_faces[] = {{0, 1}, {1, 1}, {2, 1}};

// A 7-point matrix: neighbour(point, face) is the (negative) weight of a neighbour; the diagonal is minus the
// sum of all six, those beyond the boundary included (zero Dirichlet values).
template <class Weight>
matrix::Csr<double> seven_point(Index n, Weight neighbour) {
  const Cube cube{n};
  CsrBuilder<double> a(cube.size(), cube.size(), 7 * Offset{cube.size()} - 6 * Offset{n} * n);
  cube.for_each([&](const Point& p) {
    double diagonal = 0;
    const auto add = [&](const Face& face) {
      Point q = p;
      q[usize(face.axis)] += face.side;
      if (cube.contains(q)) a.add(cube.index(q), neighbour(p, face));
    };
    for (const Face& face : lower_faces) diagonal -= neighbour(p, face);
    for (const Face& face : upper_faces) diagonal -= neighbour(p, face);
    for (const Face& face : lower_faces) add(face);
    a.add(cube.index(p), diagonal);
    for (const Face& face : upper_faces) add(face);
    a.end_row();
  });
  return std::move(a).finish();
}

}  // namespace

matrix::AnyCsr poisson3d(const RecipeOptions& options) {
  return seven_point(options.n, [](const Point&, const Face&) { return -1.0; });
}

// The same, but points on the cube's faces have the equation x = value, and their columns are kept.
matrix::AnyCsr dirichlet3d(const RecipeOptions& options) {
  const Index n = options.n;
  const matrix::Csr<double> poisson = std::get<matrix::Csr<double>>(poisson3d(options));
  const Cube cube{n};
  CsrBuilder<double> a(cube.size(), cube.size(), poisson.nonzeros());
  cube.for_each([&](const Point& p) {
    const Index row = cube.index(p);
    const bool is_given = std::ranges::any_of(p, [&](Index x) { return x == 0 || x == n - 1; });
    for (const Offset e : poisson.pattern.entries(row)) {
      const Index column = poisson.pattern.col[usize(e)];
      if (!is_given)
        a.add(column, poisson.value[usize(e)]);
      else if (column == row)
        a.add(row, 1);
    }
    a.end_row();
  });
  return std::move(a).finish();
}

// -Laplace(c) + 200 w . grad(c), times h^2, upwind differences: a vortex in (x, y) with a wind along z,
// w = (2y(1 - x^2), -2x(1 - y^2), 1/2) on (-1, 1)^3. Every row is diagonally dominant, some (at the boundary)
// strictly: an M-matrix.
matrix::AnyCsr convection3d(const RecipeOptions& options) {
  constexpr double peclet = 200;
  const double h = 1.0 / (options.n + 1);
  return seven_point(options.n, [=](const Point& p, const Face& face) {
    const double x = 2 * h * (p[0] + 1) - 1;
    const double y = 2 * h * (p[1] + 1) - 1;
    const double wind[] = {2 * y * (1 - x * x), -2 * x * (1 - y * y), 0.5};
    return -1.0 - std::max(-wind[face.axis] * static_cast<double>(face.side), 0.0) * peclet * h;
  });
}

// w . grad(c) + c / 10, times h, upwind differences, for the wind w = (1, 1/2, 1/4) and given values
// upstream: a point depends on those before it alone.
matrix::AnyCsr transport3d(const RecipeOptions& options) {
  constexpr double wind[] = {1, 0.5, 0.25};
  const Cube cube{options.n};
  const double absorbed = 0.1 / (options.n + 1);
  CsrBuilder<double> a(cube.size(), cube.size(), 4 * Offset{cube.size()});
  cube.for_each([&](const Point& p) {
    double diagonal = absorbed;
    for (const Face& face : lower_faces) {
      Point q = p;
      q[usize(face.axis)] += face.side;
      if (cube.contains(q)) a.add(cube.index(q), -wind[face.axis]);
      diagonal += wind[face.axis];
    }
    a.add(cube.index(p), diagonal);
    a.end_row();
  });
  return std::move(a).finish();
}

}  // namespace trisweep::gallery::recipes
