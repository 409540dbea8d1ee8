// trisweep predict A.mtx ...: how long a solve takes on a described machine, without factoring.

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>

#include "analysis.hpp"
#include "command.hpp"
#include "outputs.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/report/prediction.hpp"

namespace trisweep::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct PredictCommand : PlanOptions {
  std::string matrix;
  std::string analysis;
  std::string save_analysis;
  std::string machine = "cori-haswell";
  std::string json;
  Index ranks = 0;
  Index nrhs = 1;
  bool no_floors = false;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

distribution::ProcessGrid grid_of(const PredictCommand& o) {
  if (o.grid == "auto") {
    if (o.ranks > 0) return distribution::square_grid(o.ranks);
    throw Error(ErrorKind::usage, "the number of ranks is not given", "give --ranks or --grid");
  }
  const auto grid = distribution::parse_grid(o.grid);
  if (o.ranks > 0 && o.ranks != grid.ranks()) {
    throw Error(ErrorKind::usage,
                fmt::format("grid {} has {} ranks, not {}", grid.name(), grid.ranks(), o.ranks),
                "leave out --ranks or --grid");
  }
  return grid;
}

// A file of an analysis has what depends on the matrix, its name included.
model::SavedAnalysis analysis_of(const PredictCommand& o, Observer& observer) {
  if (o.analysis.empty()) return analyze_for_plan(o.matrix, o, grid_of(o).ranks(), observer);
  model::SavedAnalysis analysis = model::load_analysis(o.analysis);
  if (analysis.diagonal != o.diagonal) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} is an analysis for --diagonal {}, not {}", o.analysis, analysis.diagonal, o.diagonal),
        "give that option, or save an analysis for this one");
  }
  return analysis;
}

report::RunRecord record_of(const PredictCommand& o, const model::SavedAnalysis& a,
                            const distribution::ProcessGrid& grid, const model::Machine& machine) {
  const auto kind = a.cholesky ? numeric::Kind::cholesky : numeric::Kind::lu;
  const auto estimate = numeric::estimate(*a.structure, kind, scalar_bytes(o.precision, a.complex));
  report::RunRecord record{.version = TRISWEEP_VERSION,
                           .matrix = {.name = a.matrix, .rows = a.structure->n, .nonzeros = a.nonzeros},
                           .plan = plan_record(o, grid)};
  record.factor = {.kind = a.cholesky ? "cholesky" : "lu",
                   .nonzeros_l = estimate.nonzeros_l,
                   .nonzeros_u = estimate.nonzeros_u,
                   .bytes = estimate.factor_bytes,
                   .supernodes = a.structure->supernodes(),
                   .analysis_seconds = a.seconds,
                   .condition_estimate = std::numeric_limits<double>::quiet_NaN()};
  record.plan.device = machine.device;
  record.solve.op = o.op;
  record.solve.precision = o.precision;
  return record;
}

// The plans of one matrix, priced on one machine.
class Pricing {
 public:
  Pricing(const PredictCommand& o, const model::SavedAnalysis& a, const model::Machine& machine)
      : options_(o),
        analysis_(a),
        machine_(machine),
        workload_{
            .nrhs = o.nrhs, .scalar_bytes = scalar_bytes(o.precision, a.complex), .complex = a.complex} {}

  const model::Workload& workload() const { return workload_; }

  std::vector<plan::RankPlan> plans(const distribution::ProcessGrid& grid) const {
    const auto& choice = distribution::find_mapping(options_.mapping);
    const auto structure = distribution::in_tiles(analysis_.structure, choice, grid);
    const auto mapping = choice.make(*structure, grid);
    return plan::make_all_plans(*structure, *mapping, plan::find_schedule(options_.schedule),
                                plan_spec(options_, analysis_.cholesky), accumulation());
  }

  model::Prediction simulate(const std::vector<plan::RankPlan>& plans, const model::Machine& machine) const {
    return model::simulate(plans, machine, machine.network(options_.transport), workload_);
  }

  void add_floors(const std::vector<plan::RankPlan>& all, Observer& observer,
                  report::PredictionReport& report) const {
    observer.progress("simulation", 0.4);
    report.no_communication_seconds = simulate(all, model::without_communication(machine_)).seconds;
    observer.progress("simulation", 0.7);
    report.no_computation_seconds = simulate(all, model::without_computation(machine_)).seconds;
  }

  report::PredictionReport report(const distribution::ProcessGrid& grid, Observer& observer) const {
    observer.progress("plans", 0);
    auto start = Clock::now();
    const auto all = plans(grid);
    const double plan_seconds = seconds_since(start);
    observer.progress("simulation", 0);
    start = Clock::now();
    report::PredictionReport report{.run = record_of(options_, analysis_, grid, machine_),
                                    .machine = machine_,
                                    .workload = workload_,
                                    .prediction = simulate(all, machine_)};
    report.simulation_seconds = seconds_since(start);
    if (!options_.no_floors) add_floors(all, observer, report);
    report.serial_seconds = simulate(plans({1, 1, 1}), machine_).seconds;
    report.plan_seconds = plan_seconds;
    report.analysis_seconds = analysis_.seconds;
    report::complete_run(report);
    return report;
  }

 private:
  // What several workers need to share a rank's work without locks, as several threads do.
  plan::Accumulation accumulation() const { return {.ordered = machine_.workers > 1}; }

  const PredictCommand& options_;
  const model::SavedAnalysis& analysis_;
  const model::Machine& machine_;
  model::Workload workload_;
};

std::string predict(const PredictCommand& o, Observer& observer) {
  const auto grid = grid_of(o);
  const model::Machine machine = model::find_machine(o.machine);
  require_distinct(std::array<OutputOption, 2>{{{"--json", o.json}, {"--save-analysis", o.save_analysis}}});
  auto json = open_output(o.json), saved = open_output(o.save_analysis);

  const model::SavedAnalysis analysis = analysis_of(o, observer);
  if (saved) {
    model::save(analysis, *saved);
    saved->commit();
  }
  const report::PredictionReport report = Pricing(o, analysis, machine).report(grid, observer);
  if (json) {
    json->write(report::to_json(report));
    json->commit();
  }
  return report::summary(report);
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  auto options = std::make_shared<PredictCommand>();
  PredictCommand& o = *options;
  CLI::App* sub = app.add_subcommand("predict", "Predict the time of a solve on any machine and grid");
  auto* matrix = sub->add_option(
      "matrix", o.matrix, "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped");
  auto* analysis = sub->add_option("--analysis", o.analysis, "Saved analysis, instead of a matrix");
  analysis->excludes(matrix);
  sub->add_option("--save-analysis", o.save_analysis,
                  "File for the analysis of the matrix, to predict from again");
  sub->add_option("--machine", o.machine, "Name of a machine (see trisweep machines), or a .json file")
      ->required();
  sub->add_option("--ranks", o.ranks, "Number of ranks")->check(CLI::Range(1, 1 << 20));
  add_plan_options(*sub, o);
  sub->add_option("--nrhs", o.nrhs, "Number of right-hand sides")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_flag("--no-floors", o.no_floors,
                "Leave out the floors without communication and computation: a third of the time");
  sub->add_option("--json", o.json, "File for the record");
  sub->callback([options, matrix, analysis, &run] {
    if (matrix->empty() && analysis->empty()) throw CLI::RequiredError("matrix or --analysis");
    run = [options](const Context& context) {
      std::string summary;
      transport::collectively(context.world, [&] {
        if (context.is_root()) summary = predict(*options, context.terminal);
      });
      context.terminal.print_beside({options->json, options->save_analysis}, summary);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
