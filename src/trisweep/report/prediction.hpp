#pragma once
// The record of a predicted solve: the run record with modelled seconds, and a section `model` that explains
// them. docs/run-record.md describes the fields.

#include <optional>

#include "trisweep/distribution/grid.hpp"
#include "trisweep/model/answer.hpp"
#include "trisweep/model/factorization.hpp"
#include "trisweep/model/simulate.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::report {

struct PredictionReport {
  RunRecord run;  // matrix, factor and plan; the rest comes from the prediction
  model::Machine machine;
  model::Workload workload;
  model::Noise noise;
  model::Prediction prediction;
  std::vector<model::AnswerPrice> answers;                 // with no correction and with one
  std::optional<model::FactorizationPrice> factorization;  // unset: the machine describes no dgemm_flops
  double serial_seconds = 0;                               // of one rank alone
  std::optional<double> no_communication_seconds;          // of this plan when messages cost nothing
  std::optional<double> no_computation_seconds;            // when tasks cost nothing
  double analysis_seconds = 0;                             // that the analysis took when it was made
  double plan_seconds = 0;                                 // that making the plans of all ranks took
  double simulation_seconds = 0;                           // that simulating them took

  double efficiency() const { return serial_seconds / (prediction.seconds * double(prediction.rank.size())); }
};

// Fills in solve, ranks and machine of report.run.
void complete_run(PredictionReport& report);

std::string to_json(const PredictionReport& report);

// A few lines for people: times, the parts of the critical path, lower bounds.
std::string summary(const PredictionReport& report);

}  // namespace trisweep::report
