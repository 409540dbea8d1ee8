#pragma once
// A system is solved in attempts, each with its own factorization, until an answer is accepted: with
// compressed factors if these are asked for, with uncompressed ones, and with conservative pivoting.

#include <optional>

#include "trisweep/solve/answer.hpp"
#include "trisweep/solve/compression_choice.hpp"
#include "trisweep/solve/solver_options.hpp"

namespace trisweep::solve {

// Conservative: the most accurate factors, regardless of the chosen plan: inverted supernodes, pivots not
// much smaller than the largest entry of their column, no pivot replaced unless it is rounding error,
// balanced scaling.
enum class Pivoting { standard, conservative };

struct Attempt {
  Pivoting pivoting = Pivoting::standard;
  bool low_precision = false;    // factors in Single<T>
  Compression compression{};     // of the factors' panels
  bool reuses_analysis = false;  // ordering, structure and plan, unless pivots require another structure
};

// Returns the compression of the first attempt; eps 0: none.
template <Scalar T>
Compression first_compression(const SolverOptions& options);

// True if corrections by factors with replaced pivots have stagnated above the error that `limits` ask for,
// and A is so ill-conditioned that x may have few digits though it satisfies its equations.
template <Scalar T>
bool has_stagnated(const Answer& answer, const RefinementOptions& limits);

// Returns the attempt after `last`, which gave this answer by factors compressed to `eps` (0: uncompressed);
// nullopt if the answer is final. `stagnated`: has_stagnated().
std::optional<Attempt> next_attempt(const Attempt& last, double eps, bool stagnated, const Answer& answer);

}  // namespace trisweep::solve
