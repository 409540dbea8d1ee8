#pragma once
// What plans are made for, and the plans of a choice (plan_axes.hpp).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trisweep/model/answer.hpp"
#include "trisweep/model/machine.hpp"
#include "trisweep/model/plan_axes.hpp"
#include "trisweep/model/simulate.hpp"

namespace trisweep::model {

// A matrix that plans are made for.
struct PlanProblem {
  // The structure from the analysis for a choice of the diagonal.
  struct Analyzed {
    std::string diagonal;
    std::shared_ptr<const symbolic::Structure> structure;
  };
  std::vector<Analyzed> analyzed;
  bool upper_is_lower = false;  // as PlanSpec says
  Op op = Op::none;
  Workload workload{};
  ProductShare product{};                               // with A: what an answer costs besides sweeps
  std::shared_ptr<const plan::VectorPlaces> vectors{};  // null: at home, as PlanSpec says
  distribution::Tiling tiling{};                        // of separators kept whole

  // Throws Error(usage) if there is no structure for `diagonal`.
  std::shared_ptr<const symbolic::Structure> structure_for(const std::string& diagonal) const;
};

// A choice in the form that plan-making functions take. `structure` is in tiles where separators are kept
// whole.
struct ChosenPlan {
  ChosenPlan(const PlanProblem& problem, const PlanChoice& choice);

  // The plans of all ranks; ordered, as several threads need it, if a rank of the machine has several
  // workers.
  std::vector<plan::RankPlan> plans(const Machine& machine) const;

  std::shared_ptr<const symbolic::Structure> structure;
  std::unique_ptr<distribution::Mapping> mapping;
  plan::Schedule schedule;
  plan::PlanSpec spec;
};

// The choice with the default on every axis that makes no difference: a single layer has no exchange, a
// mapping without layers uses only the grid's number of ranks, one rank sends nothing.
PlanChoice canonical(PlanChoice choice, const PlanAxes& axes);

// Every different plan of the axes, once.
std::vector<PlanChoice> all_choices(const PlanAxes& axes);

}  // namespace trisweep::model
