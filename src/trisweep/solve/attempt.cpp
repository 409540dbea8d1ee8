#include "trisweep/solve/attempt.hpp"

#include "trisweep/solve/singularity.hpp"

namespace trisweep::solve {

template <Scalar T>
Compression first_compression(const SolverOptions& options) {
  if (!options.compress.automatic) return {options.compress.eps};
  return automatic_compression<T>(passes_of_whole_factors(options.refinement, options.mixed));
}

// Corrections by factors with a replaced pivot make no progress in a direction in which A itself is nearly
// singular.
template <Scalar T>
bool has_stagnated(const Answer& answer, const RefinementOptions& limits) {
  const double wanted = limits.acceptable > 0 ? limits.acceptable : acceptable_error<T>;
  const bool well_conditioned = answer.condition.condition_estimate * half_of_digits<T>() < 1;
  return answer.refinement_steps < limits.max_steps && !(answer.error.arioli_demmel_duff <= wanted) &&
         !well_conditioned;
}

// Which unknowns are small depends on units, so solutions by approximate factors must be accurate in small
// unknowns, too. Compressed factors cannot show a condition number beyond 1 / eps. A matrix may be singular
// to working precision only in the given units: the verdict is left to an attempt with balanced scaling.
std::optional<Attempt> next_attempt(const Attempt& last, double eps, bool stagnated, const Answer& answer) {
  const bool is_good = answer.solved() && answer.satisfies_small && !stagnated;
  if (eps > 0 && !(is_good && answer.condition.condition_estimate * eps < 1))
    return Attempt{.low_precision = last.low_precision, .reuses_analysis = true};
  if (last.low_precision && !is_good) return Attempt{.reuses_analysis = true};
  const bool conservative = last.pivoting == Pivoting::conservative;
  if (answer.solved() && (conservative || !stagnated)) return std::nullopt;
  if (conservative && !last.reuses_analysis) return std::nullopt;
  return Attempt{.pivoting = Pivoting::conservative};
}

#define INSTANTIATE(T)                                             \
  template Compression first_compression<T>(const SolverOptions&); \
  template bool has_stagnated<T>(const Answer&, const RefinementOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
