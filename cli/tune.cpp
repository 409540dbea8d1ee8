// trisweep tune A.mtx ...: finds the plan that solves fastest on a described machine, and says why.

#include <fmt/format.h>

#include <array>

#include "analysis.hpp"
#include "command.hpp"
#include "outputs.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/report/tuning.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

struct TuneCommand : PlanOptions {
  MatrixSource source;
  std::string machine;
  std::string json;
  Index ranks = 0;
  Index nrhs = 1;
  bool exhaustive = false;
  model::PlanAxes axes;
  std::string given;  // see report::TuningReport
};

std::string tune(TuneCommand o, Observer& observer) {
  const model::Machine machine = model::find_machine(o.machine);
  o.source.require_distinct_from(std::array<FileOption, 1>{{{"--json", o.json}}}, o.machine);
  auto json = open_output(o.json);
  const auto analyses = analyses_of(o.source, o, o.axes, observer);
  const model::PlanProblem problem = problem_of(analyses, o, o.ranks, o.nrhs);
  report::TuningReport report{.version = version(),
                              .matrix = matrix_record(analyses.front()),
                              .kind = analyses.front().kind,
                              .machine = machine,
                              .ranks = o.ranks,
                              .workload = problem.workload,
                              .op = o.op,
                              .precision = o.precision,
                              .given = o.given};
  const auto start = Clock::now();
  report.tuning = model::search(problem, machine, o.axes, observer);
  report.search_seconds = seconds_since(start);
  report.analysis_seconds = analyses.front().seconds;
  if (o.exhaustive) report.every_plan = model::exhaustive_search(problem, machine, o.axes, observer);
  const model::Tuning& found = report.every_plan ? *report.every_plan : report.tuning;
  report.factorization =
      factorization_price(analyses, found.best().choice.diagonal, o.ranks, problem.workload, machine);
  if (json) {
    json->write(report::to_json(report));
    json->commit();
  }
  return report::summary(report);
}

}  // namespace

void add_tune(CLI::App& app, Run& run) {
  auto options = std::make_shared<TuneCommand>();
  TuneCommand& o = *options;
  CLI::App* sub = app.add_subcommand("tune", "Choose the fastest plan for a machine, and explain the choice");
  add_matrix_source(*sub, o.source);
  sub->add_option("--machine", o.machine, "Machine name (see trisweep machines) or a .json file")->required();
  sub->add_option("--ranks", o.ranks, "Number of ranks")->check(CLI::Range(1, 1 << 20))->required();
  add_plan_options(*sub, o);
  sub->get_option("--ordering")->excludes("--analysis");
  sub->get_option("--kind")->excludes("--analysis");
  sub->get_option("--grid")->description(
      "Restrict the search to this process grid; auto: any. Plan options that are not given are searched, "
      "too");
  sub->add_option("--nrhs", o.nrhs, "Number of right-hand sides")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_flag("--exhaustive", o.exhaustive,
                "Also simulate every possible plan and compare (hundreds to thousands)");
  sub->add_option("--json", o.json, "Write the record to this file (JSON)");
  sub->callback([options, sub, &run] {
    options->source.check();
    run = [options, sub](const Context& context) {
      std::string summary;
      mpi::agree_on_error(context.world, [&] {
        if (!context.is_root()) return;
        const std::string& grid = options->grid_text;
        if (grid != "auto" && grid != "square") require_ranks(distribution::parse_grid(grid), options->ranks);
        options->axes = open_axes(*sub, *options, options->ranks);
        for (const char* name : {"--nrhs", "--op", "--precision", "--compress", "--kind", "--ordering"})
          if (sub->count(name) > 0)
            options->given += fmt::format(" {} {}", name, sub->get_option(name)->as<std::string>());
        summary = tune(*options, context.terminal);
      });
      context.terminal.print_beside({options->json}, summary);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
