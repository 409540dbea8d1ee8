// trisweep plan A.mtx ...: what a solve on a grid of ranks will send and store, without factoring.

#include <fmt/format.h>

#include <array>

#include "command.hpp"
#include "outputs.hpp"
#include "plan_options.hpp"
#include "system.hpp"
#include "trisweep/distribution/storage.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/plan/dot.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/report/plan_record.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::cli {
namespace {

struct PlanCommand : PlanOptions {
  std::string matrix;
  std::string json;
  std::string traffic;
  std::string dot;
  Index nrhs = 1;
};

struct Analyzed {
  solve::Analysis analysis;
  Index rows;
  Offset nonzeros;
  std::size_t scalar_bytes;
};

template <Scalar T>
Analyzed analyze_in(const PlanCommand& options, matrix::AnyCsr&& any, std::size_t scalar_bytes,
                    Observer& observer) {
  const matrix::Csr<T> a = take_matrix<T>(std::move(any));
  const auto analysis = analysis_options(options, distribution::parse_grid(options.grid).ranks());
  return {solve::analyze(a, analysis, observer), a.rows(), a.nonzeros(), scalar_bytes};
}

// In the precision of the system, as `solve` does; the factors of a mixed solve are in the lower one.
template <Scalar T, Scalar Low>
Analyzed analyze_system(const PlanCommand& options, matrix::AnyCsr&& a, Observer& observer) {
  if (options.precision == "float") return analyze_in<Low>(options, std::move(a), sizeof(Low), observer);
  return analyze_in<T>(options, std::move(a), options.precision == "mixed" ? sizeof(Low) : sizeof(T),
                       observer);
}

Analyzed analyze(const PlanCommand& options, Observer& observer) {
  matrix::AnyCsr a = matrix::read_matrix(options.matrix, observer);
  if (std::holds_alternative<matrix::Csr<std::complex<double>>>(a))
    return analyze_system<std::complex<double>, std::complex<float>>(options, std::move(a), observer);
  return analyze_system<double, float>(options, std::move(a), observer);
}

// Writes all outputs, then lets all appear; returns the summary.
std::string plan(const PlanCommand& options, Observer& observer) {
  const auto grid = distribution::parse_grid(options.grid);
  require_distinct(std::array<OutputOption, 3>{
      {{"--json", options.json}, {"--traffic", options.traffic}, {"--dot", options.dot}}});
  auto json = open_output(options.json), csv = open_output(options.traffic), dot = open_output(options.dot);

  const Analyzed a = analyze(options, observer);
  const auto& choice = distribution::find_mapping(options.mapping);
  const symbolic::Structure structure = distribution::in_tiles(*a.analysis.structure, choice, grid);
  const bool cholesky = a.analysis.kind == numeric::Kind::cholesky;
  const auto mapping = choice.make(structure, grid);
  const plan::Schedule schedule = plan::find_schedule(options.schedule);
  const plan::PlanSpec spec{.op = static_cast<Op>(options.op.front()),
                            .upper_is_lower = cholesky,
                            .tree = plan::find_tree(options.tree),
                            .inter_grid = plan::find_inter_grid(options.inter_grid)};
  const report::PlanReport report{
      .version = TRISWEEP_VERSION,
      .matrix = {.name = options.matrix, .rows = a.rows, .nonzeros = a.nonzeros},
      .kind = cholesky ? "cholesky" : "lu",
      .supernodes = structure.supernodes(),
      .plan = plan_record(options, grid),
      .nrhs = options.nrhs,
      .op = options.op,
      .precision = options.precision,
      .scalar_bytes = a.scalar_bytes,
      .traffic = plan::traffic(structure, *mapping, schedule, spec),
      .stored_values = distribution::stored_values(structure, *mapping, cholesky)};

  if (dot) dot->write(plan::to_dot(structure, *mapping, schedule, spec));
  if (csv) csv->write(report::to_csv(report, plan::flows(structure, *mapping, schedule, spec)));
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
      "Process grid PXxPYxPZ, PZ a power of two; of any number of ranks");
  sub->add_option("--nrhs", o.nrhs, "Number of right-hand sides")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--json", o.json, "File for the plan record");
  sub->add_option("--traffic", o.traffic, "File for who sends how much to whom (CSV)");
  sub->add_option("--dot", o.dot, "File for the dataflow graph of a small plan (Graphviz)");
  sub->callback([options, &run] {
    run = [options](const Context& context) {
      std::string summary;
      transport::collectively(context.world, [&] {
        if (context.is_root()) summary = plan(*options, context.terminal);
      });
      context.terminal.print_beside({options->json, options->traffic, options->dot}, summary);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
