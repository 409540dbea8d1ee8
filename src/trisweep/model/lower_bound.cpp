#include "trisweep/model/lower_bound.hpp"

#include <algorithm>

#include "trisweep/distribution/share.hpp"

namespace trisweep::model {
namespace {

using distribution::Side;

// The values that each rank multiplies with in a solve. With level_sync only the first of the layers that
// hold a supernode works on it.
std::vector<double> values_touched(const ChosenPlan& chosen) {
  const symbolic::Structure& s = *chosen.structure;
  const distribution::Mapping& mapping = *chosen.mapping;
  const auto sweeps = plan::sweep_sides(chosen.spec.op, chosen.spec.upper_is_lower);
  const bool first_layer_only = chosen.schedule == plan::level_sync;
  std::vector<double> values(usize(mapping.ranks()));
  for (Index k = 0; k < s.supernodes(); ++k) {
    const auto layers = mapping.layers_of(k);
    const Index last = first_layer_only ? layers.first + 1 : layers.last;
    for (const Side side : {sweeps.forward, Side::diagonal, sweeps.backward}) {
      distribution::for_each_block(s, side, k, [&](const symbolic::Block& block) {
        const double count = double(s.width(k)) * (block.end - block.begin);
        for (Index layer = layers.first; layer < last; ++layer)
          values[usize(mapping.owner(layer, side, block.row_supernode, k))] += count;
      });
    }
  }
  return values;
}

// The seconds that each rank's workers spend on messages.
std::vector<double> message_seconds(const ChosenPlan& chosen, const Machine& machine, const Network& network,
                                    const Workload& workload) {
  std::vector<double> seconds(usize(chosen.mapping->ranks()));
  plan::for_each_message(
      *chosen.structure, *chosen.mapping, chosen.schedule, chosen.spec, [&](const plan::Message& m) {
        const bool near = m.from / machine.ranks_per_node == m.to / machine.ranks_per_node;
        const Link& link = near ? network.inside : network.between;
        const double copying = 2 * double(m.rows) * workload.row_bytes() / machine.worker_bandwidth;
        seconds[usize(m.from)] += link.send_overhead;
        seconds[usize(m.to)] += link.receive_overhead + copying;
      });
  return seconds;
}

}  // namespace

double lower_bound(const ChosenPlan& chosen, const Machine& machine, const Network& network,
                   const Workload& workload) {
  const std::vector<double> values = values_touched(chosen);
  const std::vector<double> messages = message_seconds(chosen, machine, network, workload);
  const double value_seconds = std::max(double(workload.scalar_bytes) / machine.worker_bandwidth,
                                        workload.flops_per_entry() / machine.worker_flops);
  std::vector<double> streamed(values.size() / usize(machine.ranks_per_memory) + 1);
  double bound = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    bound = std::max(bound, (values[r] * value_seconds + messages[r]) / machine.workers);
    streamed[r / usize(machine.ranks_per_memory)] += values[r];
  }
  for (const double count : streamed)
    bound = std::max(bound, count * double(workload.scalar_bytes) / machine.memory_bandwidth);
  return bound;
}

}  // namespace trisweep::model
