#pragma once
// How a Krylov method ends.

#include <string_view>

namespace trisweep::krylov {

enum class Outcome {
  converged,
  breakdown,  // two vectors that the method divides by the product of are orthogonal, or not finite
  stagnated,  // the residual that the recurrence has is small, the true one is not, and starting anew is no
              // help; or cycles of GMRES leave the residual as it is
  most_iterations,  // as many as were allowed
};

struct OutcomeWords {
  std::string_view name;      // in records
  std::string_view sentence;  // what the method has done
};
const OutcomeWords& words_of(Outcome outcome);

}  // namespace trisweep::krylov
