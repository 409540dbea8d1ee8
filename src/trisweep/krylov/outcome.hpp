#pragma once
// Outcomes of Krylov methods.

#include <string_view>

namespace trisweep::krylov {

enum class Outcome {
  converged,
  breakdown,  // an inner product by which the method divides is zero up to rounding, or not finite
  stagnated,  // the recursive residual is small, but the true one is not, and restarting does not help; or
              // cycles of GMRES do not reduce the residual
  most_iterations,  // the maximum number of iterations was reached
};

struct OutcomeWords {
  std::string_view name;      // in records
  std::string_view sentence;  // predicate of a message about the method
};
const OutcomeWords& words_of(Outcome outcome);

}  // namespace trisweep::krylov
