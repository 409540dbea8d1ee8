#include "trisweep/solve/attempt.hpp"

namespace trisweep::solve {

template <Scalar T>
Compression first_compression(const SolverOptions& options) {
  if (!options.compress.automatic) return {options.compress.eps};
  return automatic_compression<T>(passes_of_whole_factors(options.refinement, options.mixed));
}

// Compressed factors show no condition beyond 1 / eps. Of factors in low precision and of compressed ones
// only an accepted solution stands, of others any that satisfies its equations.
std::optional<Attempt> next_attempt(const Attempt& last, double eps, const Answer& answer) {
  if (eps > 0 && !(answer.solved() && answer.condition.condition_estimate * eps < 1))
    return Attempt{.low_precision = last.low_precision, .reuses_analysis = true};
  const bool stands = last.low_precision ? answer.solved() : answer.satisfies;
  if (stands || last.pivoting == Pivoting::conservative) return std::nullopt;
  return Attempt{.pivoting = Pivoting::conservative};
}

#define INSTANTIATE(T) template Compression first_compression<T>(const SolverOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
