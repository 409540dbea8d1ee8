#pragma once
// What `--compress auto` takes, and whether it pays (docs/compression.md): by the time of whole answers, each
// pass through the factors with its measurement. The same on every rank.

#include <optional>

#include "trisweep/model/answer.hpp"
#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {

// What answers of uncompressed factors take, which those of compressed ones are compared with.
struct WholeAnswers {
  int passes = 1;                 // through the factors
  model::ProductShare product{};  // with A, of the rank with most
};

// The first answer of uncompressed factors is taken as it is, unless the best is asked for; those in half the
// precision of the system gain seven digits of 16 with each pass.
int passes_of_whole_factors(const RefinementOptions& options, bool half_precision);

// The passes to an answer read least when a second one is the last: the errors of two multiply, and what a
// panel takes grows with the digits of eps. A solve is off by ten times eps and more. Panels that would not
// pay stay as they are.
template <Scalar T>
Compression automatic_compression(int passes_of_whole = 1);

// The time of a sweep through tiles over one through numbers, by what tiles have of the bytes.
double time_of_sweep(double share);

// Seconds that each answer saves, where a sweep through tiles and a whole answer, of so many passes, have
// been measured; below 0: that it loses.
double saved_by_compression(double share, double sweep_seconds, double answer_seconds, int passes,
                            int passes_of_whole);

// How answers of approximate factors, compressed or of lower precision, are refined: as accurate as others.
template <Scalar T>
RefinementOptions refinement_of_approximate(RefinementOptions options);

// What is done with compressed factors when they have been tried: nothing (they pay), the compression that
// lets a second pass be the last, or none (eps 0). Collective.
template <Scalar T>
std::optional<Compression> better_compression(TriangularSolver<T>& solver, RefinedSolver<T>& refined, Op op,
                                              RefinementOptions options, const WholeAnswers& whole);

}  // namespace trisweep::solve
