#pragma once
// A plan by the names of its choices, and the choices available.

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

  std::string name() const;  // all choices, in words
  bool operator==(const PlanChoice& other) const { return name() == other.name(); }
};

// The values to choose from, axis by axis; a fixed axis has one value. No axis is empty, and all grids have
// the same number of ranks.
struct PlanAxes {
  std::vector<distribution::ProcessGrid> grid{};
  std::vector<std::string> mapping{};
  std::vector<std::string> diagonal{};
  std::vector<std::string> schedule{};
  std::vector<std::string> inter_grid{};
  std::vector<std::string> tree{};
  std::vector<std::string> transport{};

  // The first grid, and on each other axis the default of PlanChoice or, without it, the first value.
  PlanChoice usual() const;
};

// All rows of the tables but the baseline schedules, and all grids of `ranks` ranks with Pz a power of two up
// to 64, the squarest 2D grid first. The caller names the available transports: the model knows only the
// networks that carry their messages. A single rank inverts whole separators on a GPU, where chains of
// supernodes take the time, and supernodes on a CPU.
PlanAxes all_axes(Index ranks, std::vector<std::string> transports, bool on_gpus = false);
PlanAxes all_axes(Index ranks);
// Axes with nothing but `choice`.
PlanAxes only(const PlanChoice& choice);

// The axes whose values are names, so that algorithms treat all of them alike.
struct NamedAxis {
  const char* name;  // "inter-grid"
  std::vector<std::string> PlanAxes::*values;
  std::string PlanChoice::*value;
};
std::span<const NamedAxis> named_axes();

}  // namespace trisweep::model
