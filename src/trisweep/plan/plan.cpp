#include "trisweep/plan/plan.hpp"

#include <algorithm>

namespace trisweep::plan {

Part part_of(const SweepPhase& phase) {
  if (phase.side == distribution::Side::diagonal) return Part::diagonal;
  return phase.direction == Direction::scatter ? Part::forward : Part::backward;
}

Part part_of(const Phase& phase) {
  if (const auto* sweep = std::get_if<SweepPhase>(&phase)) return part_of(*sweep);
  if (std::holds_alternative<ExchangePhase>(phase)) return Part::exchange;
  return std::holds_alternative<VectorPhase>(phase) ? Part::vectors : Part::diagonal;
}

Index extra_rows(const Plan& plan) {
  Index most = 0;
  for (const Phase& phase : plan.phase) {
    if (const auto* sweep = std::get_if<SweepPhase>(&phase)) most = std::max(most, sweep->extra_rows);
  }
  return most;
}

}  // namespace trisweep::plan
