#include "trisweep/model/cost.hpp"

namespace trisweep::model {

Cost product_cost(Index height, Index width, const Workload& workload) {
  const double entries = double(height) * width;
  return {.bytes = entries * double(workload.stored_bytes) + (2.0 * height + width) * workload.row_bytes() +
                   double(height) * sizeof(Index),
          .flops = entries * workload.flops_per_entry(),
          .products = 1};
}

Cost cost_of(std::span<const plan::Strip> strips, const Workload& workload) {
  Cost cost;
  for (const plan::Strip& strip : strips)
    cost += product_cost(strip.row_end - strip.row_begin, strip.width, workload);
  return cost;
}

Cost cost_of(const plan::Task& task, const plan::SweepPhase& phase, const Workload& workload) {
  const std::span strips(phase.strip);
  return cost_of(strips.subspan(usize(task.strip_begin), usize(task.strip_end - task.strip_begin)), workload);
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
  return cost_of(std::span(phase.strip), workload);
}

// Packing and unpacking is priced with the messages.
Cost cost_of(const plan::ExchangePhase&, const Workload&) {
  return {};
}
Cost cost_of(const plan::VectorPhase&, const Workload&) {
  return {};
}

}  // namespace trisweep::model
