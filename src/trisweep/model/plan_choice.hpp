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
  // By the choice of diagonal: the structure that is analyzed for it.
  struct Analyzed {
    std::string diagonal;
    std::shared_ptr<const symbolic::Structure> structure;
  };
  std::vector<Analyzed> analyzed;
  bool upper_is_lower = false;  // as PlanSpec says
  Op op = Op::none;
  Workload workload{};
  ProductShare product{};                               // with A: what an answer takes besides sweeps
  std::shared_ptr<const plan::VectorPlaces> vectors{};  // null: at home, as PlanSpec says
  distribution::Tiling tiling{};                        // of separators kept whole

  // Throws Error(usage) when there is no structure for that diagonal.
  std::shared_ptr<const symbolic::Structure> structure_for(const std::string& diagonal) const;
};

// A choice as the functions that make plans take it. `structure` is in tiles where separators are kept whole.
struct ChosenPlan {
  ChosenPlan(const PlanProblem& problem, const PlanChoice& choice);

  // Of all ranks; ordered, as several threads need it, when a rank of the machine has several workers.
  std::vector<plan::RankPlan> plans(const Machine& machine) const;

  std::shared_ptr<const symbolic::Structure> structure;
  std::unique_ptr<distribution::Mapping> mapping;
  plan::Schedule schedule;
  plan::PlanSpec spec;
};

// The choice with the default on every axis that changes nothing: a single layer has no exchange, a mapping
// without layers of its own takes of the grid only the number of ranks, one rank sends nothing.
PlanChoice canonical(PlanChoice choice, const PlanAxes& axes);

// Every different plan of the axes, once.
std::vector<PlanChoice> all_choices(const PlanAxes& axes);

}  // namespace trisweep::model
