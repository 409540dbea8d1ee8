// trisweep predict A.mtx ...: predicts the time of a solve on a described machine, without factoring.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "analysis.hpp"
#include "command.hpp"
#include "numbers.hpp"
#include "outputs.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/model/tune.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/report/prediction.hpp"
#include "trisweep/solve/separators.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

struct PredictCommand : PlanOptions {
  MatrixSource source;
  std::string save_analysis;
  std::string machine = "cori-haswell";
  std::string json;
  std::string chosen_by = "user";
  Index ranks = 0;
  Index nrhs = 1;
  model::Noise noise;
  bool no_floors = false;
  bool task_per_supernode = false;
};

Index ranks_of(const PredictCommand& o) {
  if (o.grid_text == "auto" || o.grid_text == "square") {
    if (o.ranks > 0) return o.ranks;
    throw Error(ErrorKind::usage, "the number of ranks is not given", "give --ranks or --grid");
  }
  const auto grid = distribution::parse_grid(o.grid_text);
  if (o.ranks > 0) require_ranks(grid, o.ranks);
  return grid.ranks();
}

report::RunRecord record_of(const PredictCommand& o, const model::SavedAnalysis& a,
                            const model::Machine& machine) {
  report::RunRecord record{
      .version = version(), .matrix = matrix_record(a), .plan = report::plan_record(o, machine)};
  record.factor = {.analysis_seconds = a.seconds,
                   .condition_estimate = std::numeric_limits<double>::quiet_NaN()};
  const numeric::Kind kind = numeric::find_kind(a.kind).kind;
  const auto scalar_bytes = model::find_precision(o.precision).workload(o.nrhs, a.complex).stored_bytes;
  solve::describe(record.factor, *a.structure, kind, numeric::estimate(*a.structure, kind, scalar_bytes));
  record.plan.chosen_by = o.chosen_by;
  record.solve.op = o.op;
  record.solve.precision = o.precision;
  return record;
}

// The plans of one matrix, priced on one machine.
class Pricing {
 public:
  Pricing(const PredictCommand& o, std::span<const model::SavedAnalysis> analyses,
          const model::Machine& machine)
      : options_(o),
        analyses_(analyses),
        analysis_(*std::ranges::find(analyses, o.diagonal, &model::SavedAnalysis::diagonal)),
        machine_(machine),
        problem_(problem_of(analyses, o, o.grid.ranks(), o.nrhs)) {}

  const model::SavedAnalysis& analysis() const { return analysis_; }

  std::vector<plan::RankPlan> plans(const distribution::ProcessGrid& grid) const {
    model::PlanChoice choice = options_;
    choice.grid = grid;
    return model::ChosenPlan(problem_, choice).plans(machine_);
  }

  // Lower bounds, and times that ratios refer to, are simulated without noise.
  model::Prediction simulate(const std::vector<plan::RankPlan>& plans, const model::Machine& machine,
                             const model::Noise& noise = {}) const {
    const auto& network = machine.network(options_.transport, static_cast<Index>(plans.size()));
    return model::simulate(plans, machine, network, problem_.workload, noise);
  }

  void add_floors(const std::vector<plan::RankPlan>& all, Observer& observer,
                  report::PredictionReport& report) const {
    observer.progress("simulation", 0.4);
    report.no_communication_seconds = simulate(all, model::without_communication(machine_)).seconds;
    observer.progress("simulation", 0.7);
    report.no_computation_seconds = simulate(all, model::without_computation(machine_)).seconds;
  }

  void describe_memory(report::RunRecord& run) const {
    const solve::PanelBytes bytes = solve::panel_bytes(problem_, options_);
    run.solve.panel_bytes = bytes.all_ranks;
    run.solve.panel_bytes_max = bytes.fullest_rank;
    run.separators = solve::separators_cost(problem_, options_);
  }

  report::PredictionReport report(Observer& observer) const {
    observer.progress("plans", 0);
    auto start = Clock::now();
    const auto all = plans(options_.grid);
    const double plan_seconds = seconds_since(start);
    observer.progress("simulation", 0);
    start = Clock::now();
    report::PredictionReport report{.run = record_of(options_, analysis_, machine_),
                                    .machine = machine_,
                                    .workload = problem_.workload,
                                    .noise = options_.noise,
                                    .prediction = simulate(all, machine_, options_.noise)};
    report.simulation_seconds = seconds_since(start);
    if (!options_.no_floors) add_floors(all, observer, report);
    for (const int corrections : {0, 1})
      report.answers.push_back(model::answer_price(report.prediction.seconds, corrections, problem_.product,
                                                   machine_, problem_.workload));
    report.factorization =
        factorization_price(analyses_, options_.diagonal, options_.grid.ranks(), problem_.workload, machine_);
    report.serial_seconds = simulate(plans({1, 1, 1}), machine_).seconds;
    report.plan_seconds = plan_seconds;
    report.analysis_seconds = analysis_.seconds;
    report::complete_run(report);
    describe_memory(report.run);
    return report;
  }

 private:
  const PredictCommand& options_;
  std::span<const model::SavedAnalysis> analyses_;
  const model::SavedAnalysis& analysis_;
  const model::Machine& machine_;
  model::PlanProblem problem_;
};

// Replaces the choices in `o` by those of the plan: with --grid auto the fastest one in the model, else the
// usual one of the axes.
void choose(PredictCommand& o, const model::PlanAxes& axes, const model::Machine& machine,
            const std::vector<model::SavedAnalysis>& analyses, Observer& observer) {
  o.model::PlanChoice::operator=(
      o.grid_text == "auto"
          ? model::search(problem_of(analyses, o, ranks_of(o), o.nrhs), machine, axes, observer).best().choice
          : axes.usual());
  if (o.grid_text == "auto") o.chosen_by = "model";
}

model::Machine machine_of(const PredictCommand& o) {
  model::Machine machine = model::find_machine(o.machine);
  if (!o.task_per_supernode) return machine;
  if (machine.workers == 1)
    throw Error(
        ErrorKind::usage,
        fmt::format("--task-per-supernode cannot be combined with {}, whose ranks have one worker each",
                    o.machine),
        "leave it out, or predict for a GPU (see trisweep machines)");
  machine.grain = plan::grain_of_supernodes;
  return machine;
}

std::string predict(PredictCommand o, model::PlanAxes axes, Observer& observer) {
  const model::Machine machine = machine_of(o);
  o.source.require_distinct_from(
      std::array<FileOption, 2>{{{"--json", o.json}, {"--save-analysis", o.save_analysis}}}, o.machine);
  auto json = open_output(o.json), saved = open_analysis(o.save_analysis);

  const auto analyses = analyses_of(o.source, o, axes, observer);
  choose(o, axes, machine, analyses, observer);
  const Pricing pricing(o, analyses, machine);
  if (saved) save_analysis(pricing.analysis(), *saved);
  const report::PredictionReport report = pricing.report(observer);
  if (json) {
    json->write(report::to_json(report));
    json->commit();
  }
  return report::summary(report);
}

// With a given grid, the other axes have their given or default values.
model::PlanAxes axes_of(const CLI::App& sub, const PredictCommand& o) {
  if (o.grid_text == "auto") return open_axes(sub, o, ranks_of(o));
  model::PlanChoice choice = o;
  choice.grid = given_grid(o, ranks_of(o));
  return model::only(choice);
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  auto options = std::make_shared<PredictCommand>();
  PredictCommand& o = *options;
  o.grid_text = "square";
  CLI::App* sub =
      app.add_subcommand("predict", "Predict the time of a solve on any machine and process grid");
  add_matrix_source(*sub, o.source);
  sub->add_option("--save-analysis", o.save_analysis,
                  "Write the analysis of the matrix to this file, for --analysis");
  sub->add_option("--machine", o.machine, "Machine name (see trisweep machines) or a .json file")->required();
  sub->add_option("--ranks", o.ranks, "Number of ranks")->check(CLI::Range(1, 1 << 20));
  add_plan_options(*sub, o);
  sub->get_option("--ordering")->excludes("--analysis");
  sub->get_option("--kind")->excludes("--analysis");
  sub->add_option("--nrhs", o.nrhs, "Number of right-hand sides")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--noise", o.noise.sigma,
                  "Random variation of task and message times: standard deviation of their logarithm")
      ->check(between(0, 3))
      ->capture_default_str();
  sub->add_option("--seed", o.noise.seed, "Random seed of --noise")->needs("--noise")->capture_default_str();
  sub->add_flag(
      "--no-floors", o.no_floors,
      "Skip the lower bounds without communication and without computation (a third of the run time)");
  sub->add_flag(
      "--task-per-supernode", o.task_per_supernode,
      "One task for each supernode where a rank has several workers, as the published GPU kernels have "
      "a thread block; default: large panels are shared, small subtrees are one task");
  sub->add_option("--json", o.json, "Write the record to this file (JSON)");
  sub->callback([options, sub, &run] {
    options->source.check();
    run = [options, sub](const Context& context) {
      std::string summary;
      mpi::agree_on_error(context.world, [&] {
        if (context.is_root()) summary = predict(*options, axes_of(*sub, *options), context.terminal);
      });
      context.terminal.print_beside({options->json, options->save_analysis}, summary);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
