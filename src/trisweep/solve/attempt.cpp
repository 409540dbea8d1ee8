#include "trisweep/solve/attempt.hpp"

namespace trisweep::solve {

template <Scalar T>
Compression first_compression(const SolverOptions& options) {
  if (!options.compress.automatic) return {options.compress.eps};
  return automatic_compression<T>(passes_of_whole_factors(options.refinement, options.mixed));
}

// Which unknowns are small depends on units, so those of approximate factors have to have their digits.
// Compressed factors show no condition beyond 1 / eps. A matrix may be singular to working precision in the
// units given alone: that it is is said in balanced ones.
std::optional<Attempt> next_attempt(const Attempt& last, double eps, const Answer& answer) {
  const bool is_good = answer.solved() && answer.satisfies_small;
  if (eps > 0 && !(is_good && answer.condition.condition_estimate * eps < 1))
    return Attempt{.low_precision = last.low_precision, .reuses_analysis = true};
  if (last.low_precision && !is_good) return Attempt{.reuses_analysis = true};
  if (answer.solved() || (last.pivoting == Pivoting::conservative && !last.reuses_analysis))
    return std::nullopt;
  return Attempt{.pivoting = Pivoting::conservative};
}

#define INSTANTIATE(T) template Compression first_compression<T>(const SolverOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
