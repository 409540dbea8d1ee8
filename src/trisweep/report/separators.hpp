#pragma once
// What it costs to store the factors of a plan, and what of that inverting whole separators adds.

#include <optional>
#include <string>

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/report/run_record.hpp"

namespace trisweep::report {

// The factors as a plan deals them out, what layers replicate included; in bytes.
struct PanelBytes {
  double all_ranks = 0;
  double fullest_rank = 0;
};
PanelBytes panel_bytes(const model::PlanProblem& problem, const model::PlanChoice& choice);

// Nullopt when the plan inverts no separators, or the problem has no structure for inverted supernodes that
// they could be compared with.
std::optional<SeparatorsRecord> separators_record(const model::PlanProblem& problem,
                                                  const model::PlanChoice& choice);

// "+3.1 MB (+4.1 %) of factors, ...": for people, of a record that has them.
std::string separators_in_words(const RunRecord& record);

}  // namespace trisweep::report
