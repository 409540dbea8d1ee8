#pragma once
// The options that choose a plan: the same for every command that has one.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "trisweep/model/plan_choice.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::cli {

// The plan that was asked for; its grid as the user wrote it.
struct PlanOptions : model::PlanChoice {
  std::string grid_text = "auto";  // or "square", or a grid
  std::string ordering = "auto";
  std::string kind = "auto";  // of factorization
  std::string op = "N";
  std::string precision = "double";
  std::string compress = "off";  // or "auto", or a number
  std::string device = "native";
  std::string exchange_backend;  // empty: as ranks can have it
};

// Declares them on a command; the names of the choices are checked as they are parsed.
enum class Purpose { price, solve };
void add_plan_options(CLI::App& sub, PlanOptions& options, Purpose purpose = Purpose::price);

// Of one of numeric::kind_choices().
void add_kind_option(CLI::App& sub, std::string& kind);

// Of one of engine::devices(), by name or former name.
CLI::Option* add_device_option(CLI::App& sub, std::string& device, const std::string& description);

// "off", "auto", or a number between 0 and 1; unset for other texts.
std::optional<solve::SolverOptions::Compress> compress_option(const std::string& text);

// The grid that is asked for, when that is not left to the model. Throws Error(usage) when it does not fit
// the ranks.
distribution::ProcessGrid given_grid(const PlanOptions& options, Index ranks);

// Throws Error(usage) when a grid does not have as many ranks as --ranks says.
void require_ranks(const distribution::ProcessGrid& grid, Index ranks);

// What is left to choose: any grid of that many ranks when none is asked for, and all of every other axis
// that `sub` was not given.
model::PlanAxes open_axes(const CLI::App& sub, const PlanOptions& options, Index ranks);

}  // namespace trisweep::cli
