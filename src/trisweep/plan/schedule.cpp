#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

SweepSides sweep_sides(const PlanSpec& spec) {
  using distribution::Side;
  const bool conjugated = spec.op == Op::conjugate_transpose;
  if (spec.upper_is_lower && spec.lower_op == Op::transpose)
    return {Side::lower, Side::lower, conjugated, conjugated};
  if (spec.upper_is_lower)
    return {Side::lower, Side::lower, spec.op == Op::transpose, spec.op != Op::transpose};
  if (spec.op == Op::none) return {Side::lower, Side::upper, false, false};
  return {Side::upper, Side::lower, conjugated, conjugated};
}

namespace {

// Restricts each phase to the supernodes that matter to it. Where x is wanted but no nonzero of b reaches, b
// is zero, and has to be brought in, too.
struct Prune {
  const Pruning& pruning;
  bool is_forward = true;  // before the product with D^-1

  const SupernodeSet& of_way() const { return is_forward ? pruning.forward : pruning.backward; }
  SupernodeSet of_diagonal() const { return intersection(pruning.forward, pruning.backward); }

  void operator()(SweepSpec& sweep) const {
    sweep.within = sweep.side == distribution::Side::diagonal ? of_diagonal() : of_way();
  }
  void operator()(DiagonalSpec& diagonal) {
    diagonal.within = of_diagonal();
    is_forward = false;
  }
  void operator()(ExchangeSpec& steps) const {
    for (LayerStep& step : steps) step.within = of_way();
  }
  void operator()(VectorSpec& vectors) const {
    vectors.within =
        vectors.way == VectorWay::in ? union_of(pruning.forward, pruning.backward) : pruning.backward;
  }
};

// The range from the first tile to the last.
SupernodeRange tiles(const symbolic::Structure& structure) {
  SupernodeRange range{0, 0};
  for (Index k = 0; k < structure.supernodes(); ++k) {
    if (structure.group[usize(k)] == k) continue;
    if (range.empty()) range.first = structure.group[usize(k)];
    range.last = k + 1;
  }
  return range;
}

}  // namespace

std::vector<PhaseSpec> describe(Schedule schedule, const symbolic::Structure& structure,
                                const distribution::Mapping& mapping, Index layer, const PlanSpec& spec) {
  std::vector<PhaseSpec> phases = schedule(structure, mapping, layer, spec);
  if (spec.vectors) {
    const bool b_like_columns = spec.op != Op::none;
    phases.insert(phases.begin(), VectorSpec{VectorWay::in, b_like_columns, spec.vectors});
    phases.emplace_back(VectorSpec{VectorWay::out, !b_like_columns, spec.vectors});
  }
  Prune prune{spec.pruning};
  for (PhaseSpec& phase : phases) std::visit(prune, phase);
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

void add_diagonal_product(std::vector<PhaseSpec>& phases, const symbolic::Structure& structure,
                          const PlanSpec& spec, bool at_home_only) {
  phases.emplace_back(DiagonalSpec{.op = spec.op, .at_home_only = at_home_only});
  phases.emplace_back(SweepSpec{.side = distribution::Side::diagonal,
                                .direction = spec.op == Op::none ? Direction::scatter : Direction::gather,
                                .conjugate = spec.op == Op::conjugate_transpose,
                                .tree = spec.tree,
                                .panels = tiles(structure),
                                .at_home_only = at_home_only});
}

}  // namespace trisweep::plan
