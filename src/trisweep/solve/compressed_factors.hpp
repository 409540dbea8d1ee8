#pragma once
// Factors whose panels are put in tiles by the thread that has eliminated their front, as soon as it has:
// what is there at a time are tiles, the fronts in work and the stack of contribution blocks. For a rank that
// is alone; others compress their pieces when these have come (TriangularSolver).

#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// F the precision of the factors, T that of the vectors.
template <Scalar F, Scalar T>
struct CompressedFactors {
  std::optional<Factorization<F>> factorization;  // nothing: A is not positive definite
  std::shared_ptr<const MadeTiles<T>> tiles;      // null: the factorization has its numbers
  double seconds = 0;                             // of the factorization, without those of making tiles
  double lost_seconds = 0;                        // of one whose tiles could not be kept
  bool too_long = false;  // tiles are, or are expected to be: the panels stay as they are
};

// Of the bytes of all panels, what tiles of that accuracy are expected to have.
template <Scalar F, Scalar T>
double expected_share(const Analysis& analysis, double eps);

// try_factor(), in tiles where as much can be saved as `compression` asks for. Factors are made a second
// time, as they are, where pivots are delayed, which changes panels that are in tiles already, and where the
// tiles come out longer than was expected.
template <Scalar F, Scalar T>
CompressedFactors<F, T> try_factor_in_tiles(const matrix::Csr<T>& a,
                                            const std::shared_ptr<const Analysis>& analysis,
                                            const numeric::FactorizationOptions& options,
                                            const Compression& compression,
                                            Observer& observer = silent_observer());

}  // namespace trisweep::solve
