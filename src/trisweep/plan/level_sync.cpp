#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {
namespace {

using distribution::Mapping;

// The exchange between the two active layers below a node, with the transfers of the lower and the upper one.
ExchangeSpec hand_over(Index layer, Index distance, Transfer lower, Transfer upper) {
  const HeldBy shared{.fewest = 2 * distance};
  if (layer % (2 * distance) == 0) return {{layer + distance, lower, shared}};
  if (layer % (2 * distance) == distance) return {{layer - distance, upper, shared}};
  return {};
}

}  // namespace

std::vector<PhaseSpec> level_sync(const symbolic::Structure& structure, const Mapping& mapping, Index layer,
                                  const PlanSpec& spec) {
  const SweepSides sides = sweep_sides(spec);
  const Index top = mapping.layers();
  std::vector<PhaseSpec> phases;
  for (Index layers = 1; layers <= top; layers *= 2) {
    const SupernodeRange node = active_node(structure, mapping, layer, layers);
    phases.emplace_back(SweepSpec{.side = sides.forward,
                                  .direction = Direction::scatter,
                                  .conjugate = sides.conjugate_forward,
                                  .tree = spec.tree,
                                  .panels = node,
                                  .diagonal = layers == 1 ? node : SupernodeRange{0, 0},
                                  .diagonal_op = spec.op});
    if (layers < top) phases.emplace_back(hand_over(layer, layers, Transfer::receive_add, Transfer::send));
  }
  add_diagonal_product(phases, structure, spec, true);
  for (Index layers = top; layers >= 1; layers /= 2) {
    phases.emplace_back(SweepSpec{sides.backward, Direction::gather, sides.conjugate_backward, spec.tree,
                                  active_node(structure, mapping, layer, layers)});
    if (layers > 1) phases.emplace_back(hand_over(layer, layers / 2, Transfer::send, Transfer::receive_copy));
  }
  return phases;
}

}  // namespace trisweep::plan
