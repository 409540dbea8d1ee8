#pragma once
// What was found in the search for a plan, for people and as a record. docs/tune.md describes the fields.

#include <array>
#include <optional>
#include <string>

#include "trisweep/model/factorization.hpp"
#include "trisweep/model/tune.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::report {

// Why the best plan is the best: what its critical path consists of, what the best plan of another kind
// loses, and what it loses with another value of one of its axes.
std::array<std::string, 3> reasons(const model::Tuning& tuning);

// "--grid 2x2x1 --mapping proportional ...": what `trisweep solve` takes for that plan. Only what it would
// not take by itself: naming the usual transport would keep ranks of one node from the one that they share
// memory by.
std::string solve_options(const model::PlanChoice& choice);

struct TuningReport {
  std::string version;
  MatrixRecord matrix;
  std::string kind;  // of the factors, of numeric::kinds()
  model::Machine machine;
  Index ranks = 1;
  model::Workload workload;
  std::string op;
  std::string precision;
  model::Tuning tuning;
  std::optional<model::Tuning> every_plan;  // the exhaustive search, when there was one
  // With the diagonal of the best plan; nothing: the machine does not say what it takes.
  std::optional<model::FactorizationPrice> factorization;
  double analysis_seconds = 0;  // real time
  double search_seconds = 0;

  // What the search missed: its best plan's time over that of the best plan there is.
  double shortfall() const { return tuning.best().seconds / every_plan->best().seconds; }
};

std::string to_json(const TuningReport& report);

// The choice, the reasons, the best few plans of each mapping and diagonal, and how to solve with it.
std::string summary(const TuningReport& report);

}  // namespace trisweep::report
