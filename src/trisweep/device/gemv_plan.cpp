#include "trisweep/device/gemv_plan.hpp"

#include <algorithm>
#include <functional>

namespace trisweep::device {

GemvPlan make_gemv_plan(const GemvTasks& tasks) {
  GemvPlan plan{.panels = tasks.panels,
                .gemv = tasks.right,
                .row_block = tasks.row_block,
                .right = {0, static_cast<Index>(tasks.right.size())},
                .columns = tasks.columns,
                .rows = tasks.rows,
                .sums = tasks.sums};
  // The largest first, so that no worker ends up with a large one for which all others wait.
  std::ranges::stable_sort(plan.gemv, std::greater<>(),
                           [](const Gemv& g) { return Offset{g.rows} * g.cols; });
  plan.gemv.insert(plan.gemv.end(), tasks.left.begin(), tasks.left.end());
  for (GemvRows& row_block : plan.row_block) {
    for (Range* const range : {&row_block.dense, &row_block.low_rank}) {
      range->begin += plan.right.end;
      range->end += plan.right.end;
    }
  }
  return plan;
}

}  // namespace trisweep::device
