// trisweep factor A.mtx -o A.factors: factors A once and for all, for trisweep solve --factors.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "command.hpp"
#include "numbers.hpp"
#include "outputs.hpp"
#include "plan_options.hpp"
#include "system.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/block_rows.hpp"
#include "trisweep/solve/range.hpp"
#include "trisweep/storage/factor_file.hpp"
#include "trisweep/symbolic/diagonals.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

struct FactorCommand {
  std::string matrix, output, json;
  std::string ordering = "auto";
  std::string kind = "auto";
  std::string diagonal = "supernodes";
  std::string precision = "double";
  Index ranks = 64;
  int threads = 0;  // 0: all processors
};

// On one rank, in steps; each fills its part of the report.
template <Scalar T>
class FactorJob {
 public:
  FactorJob(const FactorCommand& options, const mpi::Communicator& self, Observer& observer)
      : options_(options), self_(self), observer_(observer) {}

  solve::FactorReport run(matrix::AnyCsr any, OutputFolder& folder) {
    const matrix::AnyCsr read = any;
    matrix::Csr<T> a = take_matrix<T>(std::move(any));
    solve::require_square(a.rows(), a.cols());
    const RealOf<T> unit = solve::unit_of_range<T>(self_, a.value, solve::is_within_range<T>(a.value));
    for (T& v : a.value) v *= unit;
    const bool mixed = model::find_precision(options_.precision).mixed();
    solve::GivenFactors<T> factors{.diagonal = options_.diagonal};
    if (mixed) {
      factors.in_single = factor<Single<T>>(a);
    } else {
      factors.in_full = factor<T>(a);
    }
    if (report_.pivots) report_.pivots->log_modulus -= double(a.rows()) * std::log(double(unit));
    observer_.progress("write", 0);
    storage::save_factors<T>(folder, read, options_.precision, factors);
    return report_;
  }

 private:
  template <Scalar F>
  std::shared_ptr<const solve::Factorization<F>> factor(const matrix::Csr<T>& a) {
    model::PlanAxes axes = model::all_axes(options_.ranks);
    axes.diagonal = {options_.diagonal};
    const solve::AnalysisOptions wanted{
        .ordering = model::ordering_options(ordering::find_method(options_.ordering).method, axes),
        .symbolic = model::symbolic_options(options_.diagonal, options_.ranks)};
    auto start = Clock::now();
    auto analysis = std::make_shared<const solve::Analysis>(solve::analyze_as(
        solve::chosen_kind(numeric::find_kind_choice(options_.kind), a), a, wanted, observer_));
    report_.analysis_seconds = seconds_since(start);
    const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    start = Clock::now();
    auto made = std::make_shared<const solve::Factorization<F>>(solve::factor<F>(
        a, std::move(analysis),
        {.analysis = wanted, .numeric = {.threads = options_.threads > 0 ? options_.threads : processors}},
        observer_));
    report_.seconds = seconds_since(start);
    const numeric::Factors<F>& factors = *made->factors;
    solve::describe(report_, *factors.structure, factors.kind,
                    numeric::estimate(*factors.structure, factors.kind, sizeof(F)));
    report_.perturbed_pivots = factors.perturbed_pivots;
    report_.delayed_pivots = factors.delayed_pivots;
    if (!numeric::has_upper(factors.kind)) report_.pivots = factors.pivots;
    return made;
  }

  const FactorCommand& options_;
  const mpi::Communicator& self_;
  Observer& observer_;
  solve::FactorReport report_;
};

std::string run_on_root(const FactorCommand& o, Terminal& terminal) {
  require_distinct(std::array<FileOption, 2>{{{"--output", o.output}, {"--json", o.json}}},
                   std::array<FileOption, 1>{{{"matrix", o.matrix}}});
  auto json = open_output(o.json);
  OutputFolder folder(o.output, storage::factor_index);
  const mpi::Communicator self(MPI_COMM_SELF);
  matrix::AnyCsr a = matrix::read_matrix(o.matrix, terminal);
  report::RunRecord record{.version = version()};
  std::visit(
      [&](const auto& read) {
        record.matrix = {.name = o.matrix, .rows = read.rows(), .nonzeros = read.nonzeros()};
      },
      a);
  const auto run = [&]<Scalar T>(T) { return FactorJob<T>(o, self, terminal).run(std::move(a), folder); };
  const bool single = model::find_precision(o.precision).single_system;
  record.factor = matrix::with_scalar(matrix::is_complex_matrix(a),
                                      [&]<Scalar T>(T) { return single ? run(Single<T>()) : run(T()); });
  if (json) {
    json->write(report::to_json(record));
    json->commit();
  }
  return report::factor_summary(record, o.output);
}

}  // namespace

void add_factor(CLI::App& app, Run& run) {
  auto options = std::make_shared<FactorCommand>();
  FactorCommand& o = *options;
  CLI::App* sub = app.add_subcommand("factor", "Factor a matrix once, for solves on any number of ranks");
  sub->add_option("matrix", o.matrix, matrix_formats)->required();
  sub->add_option("-o,--output", o.output, "Folder of the matrix with its factors (trisweep solve --factors)")
      ->required();
  sub->add_option("--ordering", o.ordering, "Fill-reducing ordering")
      ->check(CLI::IsMember(names_of(ordering::methods())))
      ->capture_default_str();
  add_kind_option(*sub, o.kind);
  sub->add_option("--diagonal", o.diagonal,
                  "Inverted diagonal blocks: supernodes, or whole separators (more memory, shorter critical "
                  "path)")
      ->check(CLI::IsMember(names_of(symbolic::diagonals())))
      ->capture_default_str();
  sub->add_option("--precision", o.precision,
                  "Precision of matrix and factors; mixed: single-precision factors, refined in double")
      ->check(CLI::IsMember(names_of(model::precisions())))
      ->capture_default_str();
  sub->add_option(
         "--ranks", o.ranks,
         "Ranks that will solve, at most: the order has separators for so many (1: the fastest on one "
         "rank; more still work)")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--threads", o.threads, "Threads (default: all processors)")
      ->check(CLI::Range(1, most_threads));
  sub->add_option("--json", o.json, "Write the run record to this file (JSON)");
  sub->callback([options, &run] {
    run = [options](const Context& context) {
      std::string summary;
      mpi::agree_on_error(context.world, [&] {
        if (context.is_root()) summary = run_on_root(*options, context.terminal);
      });
      context.terminal.print_beside({options->json, options->output}, summary);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
