#include "trisweep/model/cost.hpp"

namespace trisweep::model {

Cost product_cost(Index height, Index width, const Workload& workload) {
  const double entries = double(height) * width;
  return {.bytes = entries * double(workload.scalar_bytes) + (2.0 * height + width) * workload.row_bytes() +
                   double(height) * sizeof(Index),
          .flops = entries * workload.flops_per_entry(),
          .products = 1};
}

Cost cost_of(const plan::Task& task, const plan::SweepPhase& phase, const distribution::Share& share,
             const Workload& workload) {
  const auto& side = task.diagonal ? share.diagonal : share.side(phase.side);
  Cost cost;
  for (Index i = task.strip_begin; i < task.strip_end; ++i) {
    const plan::Strip& strip = phase.strip[usize(i)];
    cost += product_cost(strip.row_end - strip.row_begin, share.width(side.segment[usize(strip.piece)]),
                         workload);
  }
  return cost;
}

Cost cost_of(const plan::SweepPhase& phase, const distribution::Share& share, const Workload& workload) {
  Cost cost;
  for (const plan::Task& task : phase.task) cost += cost_of(task, phase, share, workload);
  return cost;
}

Cost cost_of(const plan::DiagonalPhase& phase, const distribution::Share& share, const Workload& workload) {
  Cost cost;
  for (const Index p : phase.piece) {
    const Index width = share.width(share.diagonal.segment[usize(p)]);
    cost += product_cost(width, width, workload);
  }
  return cost;
}

// Packing and unpacking is priced with the messages.
Cost cost_of(const plan::ExchangePhase&, const distribution::Share&, const Workload&) {
  return {};
}

}  // namespace trisweep::model
