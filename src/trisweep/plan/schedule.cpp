#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

SweepSides sweep_sides(Op op, bool upper_is_lower) {
  using distribution::Side;
  if (upper_is_lower) return {Side::lower, Side::lower, op == Op::transpose, op != Op::transpose};
  const bool conjugated = op == Op::conjugate_transpose;
  if (op == Op::none) return {Side::lower, Side::upper, false, false};
  return {Side::upper, Side::lower, conjugated, conjugated};
}

std::vector<PhaseSpec> describe(Schedule schedule, const symbolic::Structure& structure,
                                const distribution::Mapping& mapping, Index layer, const PlanSpec& spec) {
  std::vector<PhaseSpec> phases = schedule(structure, mapping, layer, spec);
  if (!spec.vectors) return phases;
  const bool b_like_columns = spec.op != Op::none;
  phases.insert(phases.begin(), VectorSpec{VectorWay::in, b_like_columns, spec.vectors});
  phases.emplace_back(VectorSpec{VectorWay::out, !b_like_columns, spec.vectors});
  return phases;
}

SupernodeRange active_node(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                           Index layer, Index layers) {
  SupernodeRange range{0, 0};
  if (layer % layers != 0) return range;
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const distribution::LayerRange held = mapping.layers_of(k);
    if (held.last - held.first != layers || !held.contains(layer)) continue;
    if (range.empty()) range.first = k;
    range.last = k + 1;
  }
  return range;
}

void add_diagonal_product(std::vector<PhaseSpec>& phases, const PlanSpec& spec, bool at_home_only) {
  phases.emplace_back(DiagonalSpec{.op = spec.op, .at_home_only = at_home_only});
  phases.emplace_back(SweepSpec{.side = distribution::Side::diagonal,
                                .direction = spec.op == Op::none ? Direction::scatter : Direction::gather,
                                .conjugate = spec.op == Op::conjugate_transpose,
                                .tree = spec.tree,
                                .at_home_only = at_home_only});
}

}  // namespace trisweep::plan
