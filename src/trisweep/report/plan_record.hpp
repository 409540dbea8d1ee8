#pragma once
// The plan record: what a solve will send and store, rank by rank, without factoring or solving. Fields that
// the run record (run_record.hpp) also has keep its names and meanings.

#include "trisweep/model/cost.hpp"
#include "trisweep/plan/traffic.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::report {

struct PlanReport {
  std::string version;
  MatrixRecord matrix;
  std::string kind;  // of the factors, a name in numeric::kinds()
  Index supernodes = 0;
  PlanRecord plan;
  std::string op, precision;
  model::Workload workload;
  plan::Traffic traffic;
  std::vector<Offset> stored_values;  // by rank

  Offset bytes(const plan::Volume& volume) const {
    return volume.rows * workload.nrhs * Offset(workload.scalar_bytes);
  }
};

std::string to_json(const PlanReport& report);

// A few lines for people: the busiest rank and the mean, by kind of message.
std::string summary(const PlanReport& report);

// "from,to,kind,messages,bytes", a line for each flow.
std::string to_csv(const PlanReport& report, const std::vector<plan::Flow>& flows);

}  // namespace trisweep::report
