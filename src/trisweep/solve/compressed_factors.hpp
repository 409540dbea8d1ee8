#pragma once
// Factors whose panels are compressed into tiles as soon as their front is eliminated, by the same thread: in
// memory are only the tiles, the current fronts and the stack of contribution blocks. For a single rank;
// several ranks compress their pieces after distribution (TriangularSolver).

#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// F the precision of the factors, T that of the vectors.
template <Scalar F, Scalar T>
struct CompressedFactors {
  std::optional<Factorization<F>> factorization;  // unset: A is not positive definite
  std::shared_ptr<const MadeTiles<T>> tiles;      // null: the factorization has its panels
  double seconds = 0;                             // of the factorization, without compression
  double lost_seconds = 0;                        // of a factorization whose tiles were discarded
  bool too_long = false;  // tiles save too few bytes, or are expected to: panels stay uncompressed
};

// Returns the expected ratio of compressed to uncompressed bytes of all panels.
template <Scalar F, Scalar T>
double expected_share(const Analysis& analysis, double eps);

// try_factor(), with tiles if these are expected to save as much as `compression` asks for. The matrix is
// factored a second time, uncompressed, if pivots are delayed (which changes panels already compressed), or
// if the tiles save too little.
template <Scalar F, Scalar T>
CompressedFactors<F, T> try_factor_in_tiles(const matrix::Csr<T>& a,
                                            const std::shared_ptr<const Analysis>& analysis,
                                            const numeric::FactorizationOptions& options,
                                            const Compression& compression,
                                            Observer& observer = silent_observer());

}  // namespace trisweep::solve
