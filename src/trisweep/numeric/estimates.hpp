#pragma once
// What a factorization will hold and cost, from the structure alone.

#include <cstddef>

#include "trisweep/numeric/factors.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::numeric {

// Nonzeros count the entries of the triangular factors (explicit zeros of amalgamated supernodes included),
// bytes what Factors stores (whole diagonal blocks). Where U is not stored its count is 0.
struct Estimates {
  Offset nonzeros_l = 0;  // with the diagonal
  Offset nonzeros_u = 0;  // with the diagonal
  std::size_t factor_bytes = 0;
  std::size_t stack_bytes = 0;  // contribution blocks, on one thread
  std::size_t front_bytes = 0;  // panels of the largest front, for which a sink needs memory besides its own
  // Additions and multiplications in the scalar's own arithmetic: of a factorization L U, however it is cut
  // into supernodes; and what block LDU takes besides, for D^-1 and for panels that are multiplied by it.
  double flops = 0;
  double inversion_flops = 0;

  double all_flops() const { return flops + inversion_flops; }
  std::size_t peak_bytes() const { return factor_bytes + stack_bytes; }
};

Estimates estimate(const symbolic::Structure& structure, Kind kind, std::size_t scalar_bytes);
// Without what the factorization needs besides, stack_bytes and front_bytes.
Estimates estimate_factors(const symbolic::Structure& structure, Kind kind, std::size_t scalar_bytes);

// Of at most `most` threads, one or more, as many as gain time in a factorization: each costs what it takes
// to start one, some ten microseconds, and on a path there is work for one alone.
int useful_threads(const symbolic::Structure& structure, Kind kind, int most);

// The share of one supernode in Estimates::flops: diagonal block, panels, and the update of the remaining
// height x height block.
inline double factor_flops(Index width, Index height, Kind kind) {
  const double w = width, m = height;
  const double lu = 2.0 / 3.0 * w * w * w + 2 * m * w * w + 2 * m * m * w;
  return has_upper(kind) ? lu : lu / 2;
}
// Its share in Estimates::inversion_flops: D^-1 from its triangular factors, and a second triangular solve
// with the panels.
inline double inversion_flops(Index width, Index height, Kind kind) {
  const double w = width, m = height;
  const double lu = 4.0 / 3.0 * w * w * w + 2 * m * w * w;
  return has_upper(kind) ? lu : lu / 2;
}

}  // namespace trisweep::numeric
