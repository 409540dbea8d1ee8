// trisweep plan A.mtx ...: counts what a solve on a grid of ranks sends and stores, without factoring.

#include <fmt/format.h>

#include <array>

#include "analysis.hpp"
#include "command.hpp"
#include "outputs.hpp"
#include "trisweep/distribution/storage.hpp"
#include "trisweep/plan/dot.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/report/plan_record.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

struct PlanCommand : PlanOptions {
  std::string matrix;
  std::string json;
  std::string traffic;
  std::string dot;
  Index nrhs = 1;
};

// Writes all outputs before any becomes visible; returns the summary.
std::string plan(const PlanCommand& options, Observer& observer) {
  const auto grid = distribution::parse_grid(options.grid_text);
  require_distinct(
      std::array<FileOption, 3>{
          {{"--json", options.json}, {"--traffic", options.traffic}, {"--dot", options.dot}}},
      std::array<FileOption, 1>{{{"matrix", options.matrix}}});
  auto json = open_output(options.json), csv = open_output(options.traffic), dot = open_output(options.dot);

  const model::SavedAnalysis a = analyze_for_plan(options.matrix, options, grid, observer);
  model::PlanChoice choice = options;
  choice.grid = grid;
  const model::PlanProblem problem = problem_of({&a, 1}, options, grid.ranks(), options.nrhs);
  const model::ChosenPlan chosen(problem, choice);
  const auto& [structure, mapping, schedule, spec] = chosen;
  const report::PlanReport report{
      .version = version(),
      .matrix = matrix_record(a),
      .kind = a.kind,
      .supernodes = structure->supernodes(),
      .plan = report::plan_record(choice),
      .op = options.op,
      .precision = options.precision,
      .workload = problem.workload,
      .traffic = plan::traffic(*structure, *mapping, schedule, spec),
      .stored_values = distribution::stored_values(*structure, *mapping, problem.upper_is_lower)};

  if (dot) dot->write(plan::to_dot(*structure, *mapping, schedule, spec));
  if (csv) csv->write(report::to_csv(report, plan::flows(*structure, *mapping, schedule, spec)));
  if (json) json->write(report::to_json(report));
  for (auto* file : {&dot, &csv, &json}) {
    if (*file) (*file)->commit();
  }
  return report::summary(report);
}

}  // namespace

void add_plan(CLI::App& app, Run& run) {
  auto options = std::make_shared<PlanCommand>();
  PlanCommand& o = *options;
  CLI::App* sub =
      app.add_subcommand("plan", "Count the messages and bytes of a solve on any grid, without solving");
  sub->add_option("matrix", o.matrix,
                  "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped")
      ->required();
  add_plan_options(*sub, o);
  sub->get_option("--grid")->required()->default_str("")->description(
      "Process grid PXxPYxPZ, PZ a power of two, of any size");
  sub->add_option("--nrhs", o.nrhs, "Number of right-hand sides")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--json", o.json, "Write the plan record to this file");
  sub->add_option("--traffic", o.traffic,
                  "Write messages and bytes by sender and receiver to this file (CSV)");
  sub->add_option("--dot", o.dot, "Write the dataflow graph of a small plan to this file (Graphviz)");
  sub->callback([options, &run] {
    run = [options](const Context& context) {
      std::string summary;
      mpi::agree_on_error(context.world, [&] {
        if (context.is_root()) summary = plan(*options, context.terminal);
      });
      context.terminal.print_beside({options->json, options->traffic, options->dot}, summary);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
