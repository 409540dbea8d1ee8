#pragma once
// A plan by the names of its choices, and what there is to choose from.

#include <span>
#include <string>
#include <vector>

#include "trisweep/distribution/grid.hpp"

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

  // The first grid, and on the other axes the default of PlanChoice, or the first where that is
  // not to be had.
  PlanChoice usual() const;
};

// Every row of every table, and every grid of that many ranks with Pz up to 64, the squarest 2D one first.
// The caller names the transports that there are: the model knows only the networks that carry their
// messages. Where a GPU sweeps alone, whole separators are inverted: a chain of supernodes is what it waits
// for.
PlanAxes all_axes(Index ranks, std::vector<std::string> transports, bool on_gpus = false);
PlanAxes all_axes(Index ranks);
// Nothing to choose.
PlanAxes only(const PlanChoice& choice);

// The axes that are chosen by name: what an algorithm does with one axis, it does with any of them.
struct NamedAxis {
  const char* name;  // "inter-grid"
  std::vector<std::string> PlanAxes::*values;
  std::string PlanChoice::*value;
};
std::span<const NamedAxis> named_axes();

}  // namespace trisweep::model
