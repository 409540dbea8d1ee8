#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

SweepSides sweep_sides(Op op, bool upper_is_lower) {
  using distribution::Side;
  if (upper_is_lower) return {Side::lower, Side::lower, op == Op::transpose, op != Op::transpose};
  const bool conjugated = op == Op::conjugate_transpose;
  if (op == Op::none) return {Side::lower, Side::upper, false, false};
  return {Side::upper, Side::lower, conjugated, conjugated};
}

}  // namespace trisweep::plan
