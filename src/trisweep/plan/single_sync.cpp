#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

std::vector<PhaseSpec> single_sync(const symbolic::Structure&, const distribution::Mapping& mapping,
                                   Index layer, const PlanSpec& spec) {
  const SweepSides sides = sweep_sides(spec.op, spec.upper_is_lower);
  std::vector<PhaseSpec> phases{
      SweepSpec{sides.forward, Direction::scatter, sides.conjugate_forward, spec.tree},
      spec.inter_grid(mapping.layers(), layer)};
  add_diagonal_product(phases, spec, false);
  phases.emplace_back(SweepSpec{sides.backward, Direction::gather, sides.conjugate_backward, spec.tree});
  return phases;
}

}  // namespace trisweep::plan
