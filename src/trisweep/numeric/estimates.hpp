#pragma once
// Memory and operations of a factorization, estimated from the structure alone.

#include <cstddef>

#include "trisweep/numeric/factors.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::numeric {

// Nonzeros are the entries of the triangular factors, including explicit zeros of amalgamated supernodes;
// bytes are those that Factors stores, with full diagonal blocks. If U is not stored, nonzeros_u is 0.
struct Estimates {
  Offset nonzeros_l = 0;  // with the diagonal
  Offset nonzeros_u = 0;  // with the diagonal
  std::size_t factor_bytes = 0;
  std::size_t stack_bytes = 0;  // contribution blocks, on one thread
  std::size_t front_bytes = 0;  // panels of the largest front: needed only with a sink
  // Additions and multiplications of scalars. `flops`: of the factorization L U, however it is cut into
  // supernodes. `inversion_flops`: in addition for block LDU, to compute D^-1 and multiply the panels by it.
  double flops = 0;
  double inversion_flops = 0;

  double all_flops() const { return flops + inversion_flops; }
  std::size_t peak_bytes() const { return factor_bytes + stack_bytes; }
};

Estimates estimate(const symbolic::Structure& structure, Kind kind, std::size_t scalar_bytes);
// The same without stack_bytes and front_bytes, the temporary memory of the factorization.
Estimates estimate_factors(const symbolic::Structure& structure, Kind kind, std::size_t scalar_bytes);

// Number of threads, from 1 to `most`, that shorten a factorization: starting a thread costs some ten
// microseconds, and a path of the elimination tree has work for one thread only.
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
