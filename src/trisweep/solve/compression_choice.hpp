#pragma once
// What `--compress auto` takes, and whether it pays (docs/compression.md). The same on every rank.

#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {

// The passes to an answer read least when a second one is the last: the errors of two multiply, and what a
// panel takes grows with the digits of eps. A solve is off by ten times eps and more.
template <Scalar T>
Compression automatic_compression();

// Where answers of compressed factors may end: what whole factors reach in the mean, for which no pass more
// is made.
template <Scalar T>
RefinementOptions refinement_of_compressed(RefinementOptions options);

// Whether answers come sooner with the compressed factors of `solver` than with whole ones, by the passes
// that one takes. Collective.
template <Scalar T>
bool compression_pays(TriangularSolver<T>& solver, RefinedSolver<T>& refined, Op op,
                      const RefinementOptions& options);

}  // namespace trisweep::solve
