#pragma once
// The choice of `--compress auto`, and whether compression pays (docs/compression.md): judged by the time of
// whole solves, each pass through the factors with its residual. The same on every rank.

#include <optional>

#include "trisweep/model/answer.hpp"
#include "trisweep/solve/refinement.hpp"

namespace trisweep::solve {

// Cost of solves with uncompressed factors, with which those with compressed factors are compared.
struct WholeAnswers {
  int passes = 1;                 // through the factors
  model::ProductShare product{};  // product with A, on the rank with the most
};

// Passes of a solve with uncompressed factors: the first solution is not corrected, unless `best` is set;
// single-precision factors of a double-precision system gain seven of 16 digits with each pass.
int passes_of_whole_factors(const RefinementOptions& options, bool half_precision);

// Returns the compression for solves of two passes, which read the fewest bytes: the errors of two passes
// multiply, and bytes grow with the digits of eps. Its eps allows for errors of a solve of ten times eps and
// more; panels that do not get short enough to pay stay uncompressed.
template <Scalar T>
Compression automatic_compression(int passes_of_whole = 1);

// Time of a sweep with compressed panels relative to uncompressed ones. `share`: ratio of their bytes.
double time_of_sweep(double share);

// Returns the seconds that each solve saves by compression (negative: loses), from measured times with
// compressed factors of a sweep and of a whole solve of `passes` passes.
double saved_by_compression(double share, double sweep_seconds, double answer_seconds, int passes,
                            int passes_of_whole);

// Returns the options to refine solutions by approximate factors, compressed or of lower precision, to the
// accuracy of others.
template <Scalar T>
RefinementOptions refinement_of_approximate(RefinementOptions options);

// Tries the compressed factors of `solver` in a solve. Returns nullopt if they pay, else the compression with
// which two passes may suffice, or none (eps 0). Collective.
template <Scalar T>
std::optional<Compression> better_compression(TriangularSolver<T>& solver, RefinedSolver<T>& refined, Op op,
                                              RefinementOptions options, const WholeAnswers& whole);

}  // namespace trisweep::solve
