#pragma once
// The result of a search for a plan, in words and as a record. docs/tune.md describes the fields.

#include <array>
#include <optional>
#include <string>

#include "trisweep/model/factorization.hpp"
#include "trisweep/model/tune.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::report {

// Why the best plan is the best: the parts of its critical path, what the best plan of another kind loses,
// and what changing one of its axes loses.
std::array<std::string, 3> reasons(const model::Tuning& tuning);

// "--grid 2x2x1 --mapping proportional ...": the options of `trisweep solve` for that plan, without defaults:
// naming the default transport would keep ranks of one node from using shared memory.
std::string solve_options(const model::PlanChoice& choice);

struct TuningReport {
  std::string version;
  MatrixRecord matrix;
  std::string kind;  // of the factors, a name in numeric::kinds()
  model::Machine machine;
  Index ranks = 1;
  model::Workload workload;
  std::string op;
  std::string precision;
  std::string given;  // options of `trisweep solve` other than the plan's, each with a space before it
  model::Tuning tuning;
  std::optional<model::Tuning> every_plan;  // the exhaustive search, when there was one
  // With the diagonal of the best plan; unset: the machine describes no dgemm_flops.
  std::optional<model::FactorizationPrice> factorization;
  double analysis_seconds = 0;  // wall-clock time
  double search_seconds = 0;

  // The loss of the search: the time of its best plan over that of the best of all plans.
  double shortfall() const { return tuning.best().seconds / every_plan->best().seconds; }
};

std::string to_json(const TuningReport& report);

// The choice, the reasons, the best few plans of each mapping and diagonal, and how to solve with it.
std::string summary(const TuningReport& report);

}  // namespace trisweep::report
