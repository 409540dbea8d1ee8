#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

std::vector<PhaseSpec> single_sync(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                                   Index layer, const PlanSpec& spec) {
  const SweepSides sides = sweep_sides(spec);
  std::vector<PhaseSpec> phases{SweepSpec{.side = sides.forward,
                                          .direction = Direction::scatter,
                                          .conjugate = sides.conjugate_forward,
                                          .tree = spec.tree,
                                          .diagonal = active_node(structure, mapping, layer, 1),
                                          .diagonal_op = spec.op},
                                spec.inter_grid(mapping.layers(), layer)};
  add_diagonal_product(phases, structure, spec, false);
  phases.emplace_back(SweepSpec{sides.backward, Direction::gather, sides.conjugate_backward, spec.tree});
  return phases;
}

}  // namespace trisweep::plan
