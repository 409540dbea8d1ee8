#pragma once
// The options that choose a plan: the same for every command that has one.

#include <CLI/CLI.hpp>

#include "trisweep/plan/schedule.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::cli {

struct PlanOptions {
  std::string grid = "auto";
  std::string mapping = "block-cyclic";
  std::string diagonal = "supernodes";
  std::string schedule = "single-sync";
  std::string inter_grid = "sparse";
  std::string tree = "binary";
  std::string transport = "two-sided";
  std::string ordering = "metis";
  std::string op = "N";
  std::string precision = "double";
};

// Declares them on a command; the names of the choices are checked as they are parsed.
void add_plan_options(CLI::App& sub, PlanOptions& options);

ordering::Method ordering_method(const std::string& name);

// How a matrix is analyzed for that choice of a plan on that many ranks: the separator tree goes down to
// single ranks, and with inverted separators its upper part is kept whole.
solve::AnalysisOptions analysis_options(const PlanOptions& options, Index ranks);

// What the schedules need to know. `cholesky`: of the factors.
plan::PlanSpec plan_spec(const PlanOptions& options, bool cholesky);

// The choices by name, as the records have them.
report::PlanRecord plan_record(const PlanOptions& options, const distribution::ProcessGrid& grid);

}  // namespace trisweep::cli
