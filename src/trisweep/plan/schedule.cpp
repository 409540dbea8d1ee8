#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

SweepSides sweep_sides(Op op, bool upper_is_lower) {
  using distribution::Side;
  if (upper_is_lower) return {Side::lower, Side::lower, op == Op::transpose, op != Op::transpose};
  const bool conjugated = op == Op::conjugate_transpose;
  if (op == Op::none) return {Side::lower, Side::upper, false, false};
  return {Side::upper, Side::lower, conjugated, conjugated};
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
