#pragma once
// A system is solved in attempts, each a factorization, until an answer is accepted: with compressed factors
// where these are asked for, with uncompressed ones, and with conservative pivoting.

#include <optional>

#include "trisweep/solve/answer.hpp"
#include "trisweep/solve/compression_choice.hpp"
#include "trisweep/solve/solver_options.hpp"

namespace trisweep::solve {

// Conservative: the most accurate factors, whatever plan was chosen: inverted supernodes, pivots not much
// smaller than the largest of their column, balanced units.
enum class Pivoting { standard, conservative };

struct Attempt {
  Pivoting pivoting = Pivoting::standard;
  bool low_precision = false;    // factors in Single<T>
  Compression compression{};     // of the factors' panels
  bool reuses_analysis = false;  // ordering, structure and plan, unless pivots require another structure
};

// The compression that the options ask to begin with; eps 0: none.
template <Scalar T>
Compression first_compression(const SolverOptions& options);

// The attempt after one with this answer, whose factors are compressed to `eps` (0: uncompressed); nothing
// when the answer stands.
std::optional<Attempt> next_attempt(const Attempt& last, double eps, const Answer& answer);

}  // namespace trisweep::solve
