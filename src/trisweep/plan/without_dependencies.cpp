#include "trisweep/plan/without_dependencies.hpp"

namespace trisweep::plan {
namespace {

// Interior segments, and those that only come from elsewhere, have nothing pending and stay as they are.
void free_segments(SweepPhase& phase) {
  for (std::size_t s = 0; s < phase.segment.size(); ++s) {
    if (phase.segment[s].pending == 0) continue;
    phase.segment[s].pending = 0;
    phase.complete.push_back(static_cast<Index>(s));
  }
}

}  // namespace

Plan without_dependencies(Plan plan) {
  for (Phase& phase : plan.phase) {
    if (auto* sweep = std::get_if<SweepPhase>(&phase)) free_segments(*sweep);
  }
  return plan;
}

}  // namespace trisweep::plan
