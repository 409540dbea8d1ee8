#include <algorithm>
#include <iterator>

#include "studies/himv/launch_plan.hpp"

namespace trisweep::studies {
namespace {

using device::Gemv;
using device::GemvKind;
using device::GemvRows;
using device::GemvTasks;
using device::Range;

// Assigns panels to devices.
class Deal {
 public:
  Deal(const GemvTasks& tasks, const GemvOptions& options, Index devices) : of_sums_(usize(tasks.sums) + 1) {
    GemvTasks first_type = tasks;
    std::erase_if(first_type.left, [](const Gemv& g) { return g.kind == GemvKind::rows_of_sums; });
    const LaunchPlan plan =
        make_launch_plan(first_type, {.order = options.order, .cut = options.cut, .count = options.count});
    Index device = 0;
    for (const GemvBatch& batch : plan.batch) {
      for (Index i = batch.gemv.begin; i < batch.gemv.end; ++i) give(plan.gemv[usize(i)], device);
      device = (device + 1) % devices;
    }
    std::ranges::sort(of_dense_);
  }

  Index device_of(const Gemv& g) const {
    if (g.is_transposed()) return of_sums_[usize(g.target)];
    if (g.kind == GemvKind::rows_of_sums) return of_sums_[usize(g.source)];
    return std::ranges::lower_bound(of_dense_, std::pair(g.panel, Index{0}))->second;
  }

 private:
  void give(const Gemv& g, Index device) {
    if (g.is_transposed()) {
      of_sums_[usize(g.target)] = device;
    } else {
      of_dense_.emplace_back(g.panel, device);
    }
  }

  std::vector<Index> of_sums_;                           // device, by the index of the first sum
  std::vector<std::pair<std::size_t, Index>> of_dense_;  // device, by the offset of the dense block
};

GemvTasks share_of(const GemvTasks& tasks, const Deal& deal, Index device) {
  GemvTasks share{.panels = tasks.panels, .columns = tasks.columns, .rows = tasks.rows, .sums = tasks.sums};
  const auto own = [&](const Gemv& g) { return deal.device_of(g) == device; };
  std::ranges::copy_if(tasks.right, std::back_inserter(share.right), own);
  const auto part = [&](Range of) {
    const auto begin = static_cast<Index>(share.left.size());
    std::copy_if(tasks.left.begin() + of.begin, tasks.left.begin() + of.end, std::back_inserter(share.left),
                 own);
    return Range{begin, static_cast<Index>(share.left.size())};
  };
  for (const GemvRows& row_block : tasks.row_block) {
    const Range dense = part(row_block.dense), low_rank = part(row_block.low_rank);
    share.row_block.push_back({row_block.rows, dense, low_rank});
  }
  return share;
}

}  // namespace

std::vector<GemvTasks> deal_to_devices(const GemvTasks& tasks, const GemvOptions& options, Index devices) {
  const Deal deal(tasks, options, devices);
  std::vector<GemvTasks> shares;
  for (Index d = 0; d < devices; ++d) shares.push_back(share_of(tasks, deal, d));
  return shares;
}

}  // namespace trisweep::studies
