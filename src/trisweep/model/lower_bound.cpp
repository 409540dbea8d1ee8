#include "trisweep/model/lower_bound.hpp"

#include <algorithm>

#include "trisweep/plan/applied_panels.hpp"

namespace trisweep::model {
namespace {

// Adds up the values that each rank multiplies with in a layer's phases.
struct Values {
  const ChosenPlan& chosen;
  Index layer;
  std::vector<double>& by_rank;

  void operator()(const plan::SweepSpec& spec) const { add(spec); }
  void operator()(const plan::DiagonalSpec& spec) const { add(spec); }
  void operator()(const plan::ExchangeSpec&) const {}
  void operator()(const plan::VectorSpec&) const {}

 private:
  template <class Spec>
  void add(const Spec& spec) const {
    const symbolic::Structure& s = *chosen.structure;
    plan::AppliedPanels(s, *chosen.mapping, layer, spec).for_each_block([&](const plan::AppliedBlock& block) {
      by_rank[usize(block.rank)] += double(s.width(block.supernode)) * block.rows;
    });
  }
};

std::vector<double> values_touched(const ChosenPlan& chosen) {
  std::vector<double> values(usize(chosen.mapping->ranks()));
  for (Index layer = 0; layer < chosen.mapping->layers(); ++layer) {
    for (const plan::PhaseSpec& phase :
         plan::describe(chosen.schedule, *chosen.structure, *chosen.mapping, layer, chosen.spec))
      std::visit(Values{chosen, layer, values}, phase);
  }
  return values;
}

// The seconds that each rank's workers spend on messages.
std::vector<double> message_seconds(const ChosenPlan& chosen, const Machine& machine, const Network& network,
                                    const Workload& workload) {
  std::vector<double> seconds(usize(chosen.mapping->ranks()));
  plan::for_each_message(
      *chosen.structure, *chosen.mapping, chosen.schedule, chosen.spec, [&](const plan::Message& m) {
        const bool near = m.from.value() / machine.ranks_per_node == m.to.value() / machine.ranks_per_node;
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
  const Cost value = least_value_cost(workload);
  const double value_seconds =
      std::max(value.bytes / machine.worker_bandwidth, value.flops / machine.worker_flops);
  std::vector<double> streamed(values.size() / usize(machine.ranks_per_memory) + 1);
  double bound = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    bound = std::max(bound, (values[r] * value_seconds + messages[r]) / machine.workers);
    streamed[r / usize(machine.ranks_per_memory)] += values[r];
  }
  for (const double count : streamed) bound = std::max(bound, count * value.bytes / machine.memory_bandwidth);
  return bound;
}

}  // namespace trisweep::model
