#pragma once
// What `trisweep predict` priced, as a job for simulated ranks.

#include <memory>

#include "trisweep/model/cost.hpp"
#include "trisweep/model/machine.hpp"
#include "trisweep/plan/make_plan.hpp"

namespace trisweep::simgrid {

struct Job {
  model::Machine machine;
  model::Workload workload;
  std::string transport;
  std::vector<plan::RankPlan> plans;  // by rank

  const model::Network& network() const {
    return machine.network(transport, static_cast<Index>(plans.size()));
  }
};

// Of the files that `predict --save-analysis` and `predict --json` wrote, and the machine of the latter.
Job read_job(const std::string& analysis, const std::string& record, const std::string& machine);

}  // namespace trisweep::simgrid
