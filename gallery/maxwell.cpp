// maxwell3d: the time-harmonic Maxwell equation curl curl E - k^2 E = f in a perfectly conducting cube,
// lowest-order edge (Nedelec) elements on N^3 cubic cells.
//
// The basis function of an edge along axis d is a tensor product: constant on one cell along d, hat functions
// across. So every entry is a product of three one-dimensional integrals. Edges on the boundary are
// eliminated: n = 3 N (N-1)^2, nnz = 3N(3N-5)^2 + 24(N-1)^2(3N-5), 33 entries in an inner row. Lengths are in
// cells.
//
// On this mesh curl curl is a tensor product too, so its eigenvalues are known: 0 for the gradients, and
// l_p + l_q + l_r with l_m = 6(1 - cos(m pi/N)) / (2 + cos(m pi/N)), at most one of p, q, r zero. k^2 is
// halfway between l_1 + l_1 + l_1 and the next one, l_1 + l_2 (the cube is one wavelength wide): never
// singular, indefinite from N = 3 on. The complex variant has a loss tangent of 0.1: complex symmetric.

#include <cmath>
#include <numbers>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

// Along its own axis an edge is numbered by its cell, 0 .. N-1; across by its node, 1 .. N-1 (0 and N are the
// boundary).
struct EdgeGrid {
  Index cells;

  Index first(int axis, int direction) const { return axis == direction ? 0 : 1; }
  Index count(int axis, int direction) const { return axis == direction ? cells : cells - 1; }
  Index per_direction() const { return cells * (cells - 1) * (cells - 1); }
  Index index(int direction, const Point& p) const {
    Index number = 0;
    for (int axis = 2; axis >= 0; --axis) {
      number = number * count(axis, direction) + p[usize(axis)] - first(axis, direction);
    }
    return direction * per_direction() + number;
  }
};

// Hat functions at integer nodes: the integrals of phi_i phi_j and of phi_i' phi_j'; distance |i - j| <= 1.
double mass(Index distance) {
  return distance == 0 ? 2.0 / 3 : 1.0 / 6;
}
double stiffness(Index distance) {
  return distance == 0 ? 2 : -1;
}
// The derivative of the hat function of `node` on `cell`, one of the two cells at the node.
double slope(Index node, Index cell) {
  return cell < node ? 1 : -1;
}

struct Coupling {
  double curl_curl;
  double mass;
};

// Entries between edge `i` of direction `d` and edge `j` of direction `e`.
Coupling coupling(int d, const Point& i, int e, const Point& j) {
  const auto distance = [&](int axis) { return std::abs(i[usize(axis)] - j[usize(axis)]); };
  if (d == e) {
    const Index s = distance((d + 1) % 3);
    const Index t = distance((d + 2) % 3);
    return {stiffness(s) * mass(t) + mass(s) * stiffness(t), mass(s) * mass(t)};
  }
  // curl couples d_e(E_d) with d_d(E_e), with a minus sign; the third axis is across both edges.
  const double along_d = slope(j[usize(d)], i[usize(d)]);
  const double along_e = slope(i[usize(e)], j[usize(e)]);
  return {-along_d * along_e * mass(distance(3 - d - e)), 0};
}

// Calls visit(edge) for every edge of direction e whose support meets that of edge i of direction d,
// ascending.
template <class Visit>
void for_each_coupled(const EdgeGrid& grid, int d, const Point& i, int e, Visit visit) {
  Point low, high;
  for (int axis = 0; axis < 3; ++axis) {
    const Index c = i[usize(axis)];
    const bool from_cell = axis == d, to_cell = axis == e;
    low[usize(axis)] = std::max(from_cell ? c : c - 1, grid.first(axis, e));
    high[usize(axis)] =
        std::min(from_cell == to_cell ? (from_cell ? c : c + 1) : (from_cell ? c + 1 : c), grid.cells - 1);
  }
  for (Index z = low[2]; z <= high[2]; ++z) {
    for (Index y = low[1]; y <= high[1]; ++y) {
      for (Index x = low[0]; x <= high[0]; ++x) visit(Point{x, y, z});
    }
  }
}

double eigenvalue(Index m, Index cells) {
  const double c = std::cos(m * std::numbers::pi / cells);
  return 6 * (1 - c) / (2 + c);
}

// curl_curl - mass_factor * mass.
template <Scalar T>
matrix::Csr<T> assemble_edges(const EdgeGrid& grid, T mass_factor) {
  const Offset n = grid.cells;
  const Offset pairs = 3 * n - 5;
  const Index rows = 3 * grid.per_direction();
  CsrBuilder<T> a(rows, rows, 3 * n * pairs * pairs + 24 * (n - 1) * (n - 1) * pairs);
  for (int d = 0; d < 3; ++d) {
    for (Index z = grid.first(2, d); z < grid.cells; ++z) {
      for (Index y = grid.first(1, d); y < grid.cells; ++y) {
        for (Index x = grid.first(0, d); x < grid.cells; ++x) {
          const Point i{x, y, z};
          for (int e = 0; e < 3; ++e) {
            for_each_coupled(grid, d, i, e, [&](const Point& j) {
              const Coupling c = coupling(d, i, e, j);
              a.add(grid.index(e, j), c.curl_curl - mass_factor * c.mass);
            });
          }
          a.end_row();
        }
      }
    }
  }
  return std::move(a).finish();
}

}  // namespace

matrix::AnyCsr maxwell3d(const RecipeOptions& options) {
  const EdgeGrid grid{options.n};
  const double k_squared = (4 * eigenvalue(1, options.n) + eigenvalue(2, options.n)) / 2;
  if (!options.complex) return assemble_edges<double>(grid, k_squared);
  constexpr double loss_tangent = 0.1;
  return assemble_edges<std::complex<double>>(grid, {k_squared, -k_squared * loss_tangent});
}

}  // namespace trisweep::gallery::recipes
