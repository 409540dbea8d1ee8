// dense-blocks3d: a Hamiltonian of real-space density functional theory, shaped like the PARSEC matrices
// (Ga19As19H42 and others of the SuiteSparse collection).
//
// H = -1/2 Laplace + V + P + shift on N^3 points, zero values outside: Laplace by finite differences of order
// 12 (37 points), V a local potential with a well at each atom, P the nonlocal pseudopotential: for each
// atom, a matrix w_i w_j (1 + r_i . r_j / 2) of rank 4 (s and p projectors), dense on the 257 points closer
// than 4 cells. There is one atom per 12^3 points (at least one in all), displaced at random from a regular
// lattice; blocks may overlap. The shift lifts the deepest well to 1: symmetric positive definite, as the
// stencil's symbol is non-negative and P semidefinite. n = N^3; nnz = (N^3 + 6 sum_{k=1..6} N^2 max(N-k, 0))
// for the stencil, plus the blocks.

#include <cmath>

#include "gallery/build.hpp"
#include "gallery/recipes.hpp"

namespace trisweep::gallery::recipes {
namespace {

constexpr Index order = 6;  // stencil arms: points on each side
constexpr Index radius = 4;
constexpr Index atom_spacing = 12;
constexpr double well_depth = 8;
constexpr double projector_strength = 1.5;

// An atom's point, relative to its centre in units of the radius.
struct Nearby {
  Index point;
  std::array<double, 3> r;
  double w;  // 1 at the centre, falling to a small positive value at the rim
};
using Atom = std::vector<Nearby>;

// Weights of -1/2 d^2/dx^2 at distances 0 .. order.
std::array<double, order + 1> second_difference() {
  std::array<double, order + 1> weight{};
  double ratio = 1;  // order!^2 / ((order - k)! (order + k)!)
  for (Index k = 1; k <= order; ++k) {
    ratio *= static_cast<double>(order - k + 1) / (order + k);
    weight[usize(k)] = (k % 2 == 1 ? -1 : 1) * ratio / (k * k);
    weight[0] -= 2 * weight[usize(k)];
  }
  return weight;
}

Atom atom_at(const Cube& cube, const Point& centre) {
  Atom atom;
  Cube{2 * radius + 1}.for_each([&](const Point& p) {
    Point q;
    std::array<double, 3> r;
    double r2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      q[axis] = centre[axis] + p[axis] - radius;
      r[axis] = static_cast<double>(p[axis] - radius) / radius;
      r2 += r[axis] * r[axis];
    }
    if (r2 <= 1 && cube.contains(q)) atom.push_back({cube.index(q), r, 1 - 0.9 * r2});
  });
  return atom;
}

std::vector<Atom> place_atoms(const Cube& cube, std::uint64_t seed) {
  Random random(seed);
  std::vector<Atom> atoms;
  const Index per_axis = std::max(cube.side() / atom_spacing, Index{1});
  Cube{per_axis}.for_each([&](const Point& cell) {
    Point centre;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Offset middle = (2 * Offset{cell[axis]} + 1) * cube.side() / (2 * per_axis);
      const Index displaced = static_cast<Index>(middle) + random.below(2 * radius + 1) - radius;
      centre[axis] = std::clamp(displaced, Index{0}, cube.side() - 1);
    }
    atoms.push_back(atom_at(cube, centre));
  });
  return atoms;
}

// Occurrences of each point in the atoms: (atom, position), by point.
struct Occurrences {
  std::vector<Offset> start;
  std::vector<std::pair<Index, Index>> entry;
};

Occurrences occurrences(const std::vector<Atom>& atoms, Index points) {
  Occurrences result;
  result.start.assign(usize(points) + 1, 0);
  for (const Atom& atom : atoms) {
    for (const Nearby& near : atom) ++result.start[usize(near.point) + 1];
  }
  for (std::size_t i = 0; i < usize(points); ++i) result.start[i + 1] += result.start[i];
  result.entry.resize(usize(result.start.back()));
  std::vector<Offset> next = result.start;
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    for (std::size_t k = 0; k < atoms[a].size(); ++k) {
      result.entry[usize(next[usize(atoms[a][k].point)]++)] = {static_cast<Index>(a), static_cast<Index>(k)};
    }
  }
  return result;
}

// V + shift: at least 1 everywhere.
std::vector<double> shifted_potential(const std::vector<Atom>& atoms, Index points) {
  std::vector<double> potential(usize(points), 0.0);
  for (const Atom& atom : atoms) {
    for (const Nearby& near : atom) potential[usize(near.point)] -= well_depth * near.w;
  }
  const double shift = 1 - *std::ranges::min_element(potential);
  for (double& v : potential) v += shift;
  return potential;
}

double projector(const Nearby& i, const Nearby& j) {
  const double dot = i.r[0] * j.r[0] + i.r[1] * j.r[1] + i.r[2] * j.r[2];
  return projector_strength * (i.w * j.w) * (1 + 0.5 * dot);
}

}  // namespace

matrix::AnyCsr dense_blocks3d(const RecipeOptions& options) {
  const Cube cube{options.n};
  const std::vector<Atom> atoms = place_atoms(cube, options.seed);
  const Occurrences where = occurrences(atoms, cube.size());
  const std::vector<double> potential = shifted_potential(atoms, cube.size());
  const auto weight = second_difference();

  CsrBuilder<double> a(cube.size(), cube.size(), 70 * Offset{cube.size()});
  cube.for_each([&](const Point& p) {
    const Index i = cube.index(p);
    a.add(i, 3 * weight[0] + potential[usize(i)]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Point q = p;
      for (q[axis] = std::max(p[axis] - order, 0); q[axis] <= std::min(p[axis] + order, cube.side() - 1);
           ++q[axis]) {
        if (q[axis] != p[axis]) a.add(cube.index(q), weight[usize(std::abs(q[axis] - p[axis]))]);
      }
    }
    for (Offset k = where.start[usize(i)]; k < where.start[usize(i) + 1]; ++k) {
      const auto [number, position] = where.entry[usize(k)];
      const Atom& atom = atoms[usize(number)];
      for (const Nearby& near : atom) a.add(near.point, projector(atom[usize(position)], near));
    }
    a.end_row();
  });
  return std::move(a).finish();
}

}  // namespace trisweep::gallery::recipes
