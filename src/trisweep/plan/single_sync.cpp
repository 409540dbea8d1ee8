#include "trisweep/plan/exchange.hpp"
#include "trisweep/plan/schedule.hpp"
#include "trisweep/plan/sweep.hpp"

namespace trisweep::plan {

SweepSides sweep_sides(Op op, bool upper_is_lower) {
  using distribution::Side;
  if (upper_is_lower) return {Side::lower, Side::lower, op == Op::transpose, op != Op::transpose};
  const bool conjugated = op == Op::conjugate_transpose;
  if (op == Op::none) return {Side::lower, Side::upper, false, false};
  return {Side::upper, Side::lower, conjugated, conjugated};
}

Plan single_sync(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                 const distribution::Share& share, const PlanSpec& spec) {
  const SweepSides sides = sweep_sides(spec.op, spec.upper_is_lower);
  DiagonalPhase diagonal{.op = spec.op, .segment = {}};
  for (Index s = 0; s < share.segments(); ++s) {
    if (share.owned[usize(s)]) diagonal.segment.push_back(s);
  }
  Plan plan;
  plan.phase.push_back(make_sweep(structure, mapping, share,
                                  {sides.forward, Direction::scatter, sides.conjugate_forward, spec.tree}));
  plan.phase.push_back(sparse_allreduce(mapping, share));
  plan.phase.push_back(std::move(diagonal));
  plan.phase.push_back(make_sweep(structure, mapping, share,
                                  {sides.backward, Direction::gather, sides.conjugate_backward, spec.tree}));
  return plan;
}

}  // namespace trisweep::plan
