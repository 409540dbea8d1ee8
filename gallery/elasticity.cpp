// elasticity3d and plate: linear elasticity with trilinear hexahedra on a beam or a plate clamped at one end.
//
// The mesh has (N+1) x N x M nodes and unit cubes as elements, M = N for a beam and 2 for a plate; the nodes
// of the face x = 0 are clamped and eliminated, which leaves N^2 M nodes of 3 displacements, n = 3 N^2 M, and
// nnz = 9 (3N - 2)^2 (3M - 2): a node couples to all of its 27 neighbours with full 3 x 3 blocks, 81 entries
// in a row. Symmetric positive definite. Isotropic material with Poisson's ratio 0.3 and in each element a
// Young's modulus of its own.

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

using Block = std::array<std::array<double, 3>, 3>;
using Corner = std::array<std::size_t, 3>;  // 0 or 1 along each axis

Corner corner(std::size_t number) {
  return {number & 1, number >> 1 & 1, number >> 2 & 1};
}

// Integral over the unit cube of d_p(phi_a) d_q(phi_b), phi the trilinear shape functions: a product of
// one-dimensional integrals of hat functions.
double gradient_product(const Corner& a, const Corner& b, std::size_t p, std::size_t q) {
  constexpr double slope[] = {-1, 1};
  double product = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double mass = a[axis] == b[axis] ? 1.0 / 3 : 1.0 / 6;
    const double derivative_a = axis == p ? slope[a[axis]] : 1;
    const double derivative_b = axis == q ? slope[b[axis]] : 1;
    const double values = axis == p && axis == q ? 1 : axis == p || axis == q ? 0.5 : mass;
    product *= derivative_a * derivative_b * values;
  }
  return product;
}

// The 24 x 24 stiffness matrix of an element of Young's modulus 1 as 3 x 3 blocks: the weak form lambda
// div(u) div(v) + 2 mu eps(u) : eps(v) for the displacements u = phi_b e_q and v = phi_a e_p.
std::array<std::array<Block, 8>, 8> element_stiffness() {
  constexpr double poisson = 0.3;
  constexpr double lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
  constexpr double mu = 1 / (2 * (1 + poisson));
  std::array<std::array<Block, 8>, 8> stiffness{};
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < 8; ++b) {
      const auto g = [&](std::size_t p, std::size_t q) {
        return gradient_product(corner(a), corner(b), p, q);
      };
      const double laplace = g(0, 0) + g(1, 1) + g(2, 2);
      for (std::size_t p = 0; p < 3; ++p) {
        for (std::size_t q = 0; q < 3; ++q) {
          stiffness[a][b][p][q] = lambda * g(p, q) + mu * g(q, p) + (p == q ? mu * laplace : 0);
        }
      }
    }
  }
  return stiffness;
}

// The mesh: one element less than there are free nodes along each axis, but for x, each with its Young's
// modulus. Free nodes are numbered from 0, so the layer of elements at the clamped face starts at x = -1.
class Body {
 public:
  Body(const Box& nodes, std::uint64_t seed)
      : elements_{{nodes.sides[0], nodes.sides[1] - 1, nodes.sides[2] - 1}}, young_(usize(elements_.size())) {
    Random random(seed);
    for (double& young : young_) young = random.uniform(1, 10);
  }

  // The blocks of a free node's row, one per neighbour in the order of for_each_neighbour. Elements are
  // visited in ascending order for every node, so that the sums of A(i,j) and A(j,i) round alike.
  std::array<Block, 27> node_row(const Point& node) const {
    std::array<Block, 27> row{};
    for (std::size_t e = 0; e < 8; ++e) {
      const std::size_t own = 7 - e;  // the element's corner at the node
      const Corner back = corner(own);
      const Point first{node[0] - Index(back[0]), node[1] - Index(back[1]), node[2] - Index(back[2])};
      const Point element{first[0] + 1, first[1], first[2]};
      if (!elements_.contains(element)) continue;
      const double young = young_[usize(elements_.index(element))];
      for (std::size_t b = 0; b < 8; ++b) {
        const Corner other = corner(b);
        std::size_t place = 0;
        for (std::size_t axis = 3; axis-- > 0;) place = 3 * place + (1 + other[axis] - back[axis]);
        for (std::size_t p = 0; p < 3; ++p) {
          for (std::size_t q = 0; q < 3; ++q) row[place][p][q] += young * stiffness_[own][b][p][q];
        }
      }
    }
    return row;
  }

 private:
  Box elements_;
  std::vector<double> young_;
  std::array<std::array<Block, 8>, 8> stiffness_ = element_stiffness();
};

matrix::AnyCsr stiffness_matrix(const Box& nodes, std::uint64_t seed) {
  const Body body(nodes, seed);
  Offset entries = 9;
  for (const Index side : nodes.sides) entries *= 3 * Offset{side} - 2;
  CsrBuilder<double> a(3 * nodes.size(), 3 * nodes.size(), entries);
  nodes.for_each([&](const Point& node) {
    const std::array<Block, 27> row = body.node_row(node);
    for (std::size_t p = 0; p < 3; ++p) {
      std::size_t place = 0;
      for_each_neighbour(node, [&](const Point& other) {
        const Block& block = row[place++];
        if (!nodes.contains(other)) return;
        for (std::size_t q = 0; q < 3; ++q) a.add(3 * nodes.index(other) + Index(q), block[p][q]);
      });
      a.end_row();
    }
  });
  return std::move(a).finish();
}

}  // namespace

matrix::AnyCsr elasticity3d(const RecipeOptions& options) {
  return stiffness_matrix(Cube(options.n), options.seed);
}

matrix::AnyCsr plate(const RecipeOptions& options) {
  return stiffness_matrix({{options.n, options.n, 2}}, options.seed);
}

}  // namespace trisweep::gallery::recipes
