#include "trisweep/model/simulate.hpp"

#include <algorithm>

#include "trisweep/model/simulation.hpp"

namespace trisweep::model {
namespace {

// The slowest memory streams what its ranks touch once.
double bandwidth_floor(const std::vector<plan::RankPlan>& plans, const Machine& machine,
                       const Workload& workload) {
  std::vector<double> bytes(plans.size() / usize(machine.ranks_per_memory) + 1);
  double floor = 0;
  for (std::size_t r = 0; r < plans.size(); ++r) {
    Cost cost;
    for (const plan::Phase& phase : plans[r].plan.phase)
      cost += std::visit([&](const auto& p) { return cost_of(p, workload); }, phase);
    bytes[r / usize(machine.ranks_per_memory)] += cost.bytes;
    floor = std::max(floor, cost.bytes / (machine.workers * machine.worker_bandwidth));
  }
  for (const double b : bytes) floor = std::max(floor, b / machine.memory_bandwidth);
  return floor;
}

}  // namespace

Prediction simulate(const std::vector<plan::RankPlan>& plans, const Machine& machine, const Network& network,
                    const Workload& workload, const Noise& noise) {
  Prediction prediction = Simulation(plans, machine, network, workload, noise).run();
  prediction.bandwidth_floor = bandwidth_floor(plans, machine, workload);
  return prediction;
}

}  // namespace trisweep::model
