#pragma once
// What `--compress auto` takes, and whether it pays (docs/compression.md). The same on every rank.

#include <optional>

#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {

// The passes to an answer read least when a second one is the last: the errors of two multiply, and what a
// panel takes grows with the digits of eps. A solve is off by ten times eps and more.
template <Scalar T>
Compression automatic_compression();

// The time of a pass through tiles over one through numbers, each with its residual, by what tiles have of
// the bytes.
double time_of_pass(double share);

// Where answers of compressed factors may end: what whole factors reach in the mean, for which no pass more
// is made.
template <Scalar T>
RefinementOptions refinement_of_compressed(RefinementOptions options);

// What is done with compressed factors when they have been tried: nothing (they pay), the compression that
// lets a second pass be the last, or none (eps 0). Collective.
template <Scalar T>
std::optional<Compression> better_compression(TriangularSolver<T>& solver, RefinedSolver<T>& refined, Op op,
                                              RefinementOptions options);

}  // namespace trisweep::solve
