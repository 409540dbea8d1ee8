#include "trisweep/model/cost.hpp"

namespace trisweep::model {

Cost product_cost(Index height, Index width, const Workload& workload) {
  const double entries = double(height) * width;
  return {.bytes = entries * double(workload.scalar_bytes) + (2.0 * height + width) * workload.row_bytes() +
                   double(height) * sizeof(Index),
          .flops = entries * workload.flops_per_entry(),
          .products = 1};
}

Cost cost_of(const plan::Task& task, const plan::SweepPhase& phase, const Workload& workload) {
  Cost cost;
  for (Index i = task.strip_begin; i < task.strip_end; ++i) {
    const plan::Strip& strip = phase.strip[usize(i)];
    cost += product_cost(strip.row_end - strip.row_begin, strip.width, workload);
  }
  return cost;
}

Offset replaced_rows(const plan::SweepPhase& phase) {
  Offset rows = 0;
  for (const plan::Replacement& r : phase.replaced) rows += r.rows;
  return rows;
}

Cost cost_of(const plan::SweepPhase& phase, const Workload& workload) {
  Cost cost;
  for (const plan::Task& task : phase.task) cost += cost_of(task, phase, workload);
  return cost;
}

Cost cost_of(const plan::DiagonalPhase& phase, const Workload& workload) {
  Cost cost;
  for (const plan::Strip& strip : phase.strip) cost += product_cost(strip.height, strip.width, workload);
  return cost;
}

// Packing and unpacking is priced with the messages.
Cost cost_of(const plan::ExchangePhase&, const Workload&) {
  return {};
}

}  // namespace trisweep::model
