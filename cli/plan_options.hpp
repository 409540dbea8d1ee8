#pragma once
// The options that choose a plan, the same for all commands with plans.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::cli {

// The plan that the user asked for; `grid_text` is the grid as written.
struct PlanOptions : model::PlanChoice {
  std::string grid_text = "auto";  // or "square", or a grid
  std::string ordering = "auto";
  std::string kind = "auto";  // of factorization
  std::string op = "N";
  std::string precision = "double";
  std::string compress = "off";  // or "auto", or a number
  std::string device = "native";
  std::string exchange_backend;  // empty: puts if available, else MPI
};

// Declares the options on a command; parsing checks the names of choices.
enum class Purpose { price, solve };
void add_plan_options(CLI::App& sub, PlanOptions& options, Purpose purpose = Purpose::price);

// Declares --kind; its values are the names in numeric::kind_choices().
void add_kind_option(CLI::App& sub, std::string& kind);

// Declares --device; its values are the names, and former names, in engine::devices().
CLI::Option* add_device_option(CLI::App& sub, std::string& device, const std::string& description);

// Parses "off", "auto", or a number between 0 and 1; nullopt for other texts.
std::optional<solve::SolverOptions::Compress> compress_option(const std::string& text);

// Returns the grid in `options`, which is not "auto". Throws Error(usage) if it does not fit the ranks.
distribution::ProcessGrid given_grid(const PlanOptions& options, Index ranks);

// Throws Error(usage) if the grid has another number of ranks than --ranks.
void require_ranks(const distribution::ProcessGrid& grid, Index ranks);

// Returns the choices left to the model: any grid of that many ranks if none is given, and all values of each
// other axis whose option was not given to `sub`.
model::PlanAxes open_axes(const CLI::App& sub, const PlanOptions& options, Index ranks);

}  // namespace trisweep::cli
