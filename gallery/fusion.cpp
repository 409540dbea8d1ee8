// fusion: the sparsity and the scaling of the M3D-C1 matrices (magnetohydrodynamics of tokamaks), not their
// physics.
//
// Eight poloidal planes around a torus, each with the same mesh of N x N nodes cut into triangles (7 nodes
// around a node, itself included). C1 elements in the plane times cubic Hermite elements along the torus: 12
// unknowns per node (the value and five derivatives in the plane, each with its derivative along the torus),
// coupled to all unknowns of the 7 nodes on the node's own plane and the two next to it. n = 96 N^2; nnz =
// 3456 (7N^2 - 8N + 2), 252 in an inner row. The pattern is symmetric, the values are not.
//
// A = S B S: B is random with strictly dominant rows, smaller downstream and towards the neighbouring
// planes; S holds the powers of the mesh width that derivative unknowns carry, which makes A as badly scaled
// as the originals.

#include <bit>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

constexpr Index planes = 8;
constexpr Index unknowns = 12;

struct Link {
  Index plane, y, x;  // offsets
  double strength;    // at most 1
};

// Planes in order -1, 0, 1 and nodes ascending in each; the mesh's diagonals run from (0, 0) to (1, 1).
std::vector<Link> links() {
  std::vector<Link> list;
  for (Index plane = -1; plane <= 1; ++plane) {
    for (const auto& [y, x] : {std::pair{-1, -1}, {-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
      const double upstream = x < 0 || y < 0 ? 1.0 : 0.25;
      list.push_back({plane, y, x, plane == 0 ? upstream : 0.5 * upstream});
    }
  }
  return list;
}

// The scale of each unknown of a node: the mesh width (as a power of two) to the order of the derivative.
std::array<double, unknowns> unknown_scales(Index n) {
  const double h = 1.0 / std::bit_ceil(static_cast<std::uint32_t>(n));
  constexpr double torus = 1.0 / planes;
  const double in_plane[] = {1, h, h, h * h, h * h, h * h};
  std::array<double, unknowns> scale;
  for (std::size_t k = 0; k < scale.size(); ++k) scale[k] = in_plane[k / 2] * (k % 2 == 1 ? torus : 1);
  return scale;
}

}  // namespace

matrix::AnyCsr fusion(const RecipeOptions& options) {
  const Index n = options.n;
  const Index rows = planes * n * n * unknowns;
  const Offset pairs = (7 * Offset{n} - 8) * n + 2;
  const std::vector<Link> around = links();
  const double weight = 0.9 / static_cast<double>(around.size() * usize(unknowns));
  const auto scale = unknown_scales(n);
  Random random(options.seed);

  CsrBuilder<double> a(rows, rows, 3 * planes * unknowns * unknowns * pairs);
  for (Index row = 0; row < rows; ++row) {
    const Index node = row / unknowns;
    const Index x = node % n, y = node / n % n, plane = node / (n * n);
    for (const Link& link : around) {
      const Index u = x + link.x, v = y + link.y;
      if (u < 0 || u >= n || v < 0 || v >= n) continue;
      const Index other = u + n * (v + n * ((plane + link.plane + planes) % planes));
      for (Index k = 0; k < unknowns; ++k) {
        const Index col = other * unknowns + k;
        const double b = random.uniform(-weight, weight) * link.strength;
        a.add(col, (col == row ? 1 + b : b) * scale[usize(row % unknowns)] * scale[usize(k)]);
      }
    }
    a.end_row();
  }
  return std::move(a).finish();
}

}  // namespace trisweep::gallery::recipes
