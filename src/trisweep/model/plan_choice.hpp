#pragma once
// A plan by the names of its choices, what there is to choose from, and the plans themselves.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trisweep/model/answer.hpp"
#include "trisweep/model/machine.hpp"
#include "trisweep/model/simulate.hpp"

namespace trisweep::model {

struct PlanChoice {
  distribution::ProcessGrid grid{};
  std::string mapping = "block-cyclic";
  std::string diagonal = "supernodes";
  std::string schedule = "single-sync";
  std::string inter_grid = "sparse";
  std::string tree = "binary";
  std::string transport = "two-sided";

  std::string name() const;  // all of it, in words
  bool operator==(const PlanChoice& other) const { return name() == other.name(); }
};

// What may be chosen, axis by axis; an axis that is fixed has one choice. No axis is empty, and all grids
// have the same number of ranks.
struct PlanAxes {
  std::vector<distribution::ProcessGrid> grid{};
  std::vector<std::string> mapping{};
  std::vector<std::string> diagonal{};
  std::vector<std::string> schedule{};
  std::vector<std::string> inter_grid{};
  std::vector<std::string> tree{};
  std::vector<std::string> transport{};

  // The first grid, and on the other axes the value that PlanChoice has by itself, or the first where that is
  // not to be had.
  PlanChoice usual() const;
};

// Every row of every table, and every grid of that many ranks with Pz up to 64, the squarest 2D one first.
// The transports are given by who has them: the model has only the networks that carry their messages.
PlanAxes all_axes(Index ranks, std::vector<std::string> transports = described_transports());
// Nothing to choose.
PlanAxes only(const PlanChoice& choice);

// The axes that are chosen by name: what an algorithm does with one axis, it does with any of them.
struct NamedAxis {
  const char* name;  // "inter-grid"
  std::vector<std::string> PlanAxes::*values;
  std::string PlanChoice::*value;
};
std::span<const NamedAxis> named_axes();

// A matrix that plans are made for.
struct PlanProblem {
  // By the choice of diagonal: the structure that is analyzed for it.
  struct Analyzed {
    std::string diagonal;
    std::shared_ptr<const symbolic::Structure> structure;
  };
  std::vector<Analyzed> analyzed;
  bool cholesky = false;  // else LU
  Op op = Op::none;
  Workload workload{};
  ProductShare product{};                               // with A: what an answer takes besides sweeps
  std::shared_ptr<const plan::VectorPlaces> vectors{};  // null: at home, as PlanSpec says

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

// The choice with what is usual wherever an axis changes nothing: a single layer has no exchange, a mapping
// without layers of its own takes of the grid only the number of ranks, one rank sends nothing.
PlanChoice canonical(PlanChoice choice, const PlanAxes& axes);

// Every different plan of the axes, once.
std::vector<PlanChoice> all_choices(const PlanAxes& axes);

}  // namespace trisweep::model
