#include "trisweep/krylov/outcome.hpp"

#include <array>
#include <cstddef>

namespace trisweep::krylov {
namespace {

// In the order of Outcome.
constexpr auto table_of_outcomes = std::to_array<OutcomeWords>({
    {"converged", "has converged"},
    {"breakdown", "has broken down"},
    {"stagnated", "has stagnated"},
    {"not converged", "has not converged"},
});

}  // namespace

const OutcomeWords& words_of(Outcome outcome) {
  return table_of_outcomes[static_cast<std::size_t>(outcome)];
}

}  // namespace trisweep::krylov
