#include "trisweep/plan/schedule.hpp"
#include "trisweep/plan/sweep.hpp"

namespace trisweep::plan {

Plan single_sync(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                 const distribution::Share& share, const PlanSpec& spec) {
  const SweepSides sides = sweep_sides(spec.op, spec.upper_is_lower);
  DiagonalPhase diagonal{.op = spec.op, .segment = {}};
  for (Index s = 0; s < share.segments(); ++s) {
    if (share.owned[usize(s)]) diagonal.segment.push_back(s);
  }
  Plan plan;
  plan.phase.push_back(make_sweep(
      structure, mapping, share,
      {sides.forward, Direction::scatter, sides.conjugate_forward, spec.tree, {}, spec.accumulation}));
  plan.phase.push_back(spec.inter_grid(mapping, share));
  plan.phase.push_back(std::move(diagonal));
  plan.phase.push_back(make_sweep(
      structure, mapping, share,
      {sides.backward, Direction::gather, sides.conjugate_backward, spec.tree, {}, spec.accumulation}));
  return plan;
}

}  // namespace trisweep::plan
