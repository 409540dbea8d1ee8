// trisweep factor A.mtx -o A.factors: factors A, on all ranks, and saves it for trisweep solve --factors.

#include <fmt/format.h>

#include <array>
#include <optional>

#include "command.hpp"
#include "numbers.hpp"
#include "outputs.hpp"
#include "plan_options.hpp"
#include "system.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/solve/dissecting_ranks.hpp"
#include "trisweep/solve/fronts_factorizer.hpp"
#include "trisweep/solve/given_factors.hpp"
#include "trisweep/solve/parallel_analysis.hpp"
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

// Runs on all ranks; only rank 0 prints.
template <Scalar T>
class FactorJob {
 public:
  FactorJob(const Context& context, const FactorCommand& options, const solve::AnyBlockRows& read)
      : world_(context.world),
        observer_(context.terminal),
        options_(options),
        system_(world_, take_rows<T>(world_, mpi::agree_on_error(world_, [&] { return read; }))) {}

  // `read`: the matrix, which is saved as it was read. `folder`: on rank 0; elsewhere null.
  void run(OutputFolder* folder, const solve::AnyBlockRows& read) {
    solve::FactorSources<T> factors{.diagonal = options_.diagonal};
    if (model::find_precision(options_.precision).mixed()) {
      factors.in_single = factor<Single<T>>();
    } else {
      factors.in_full = factor<T>();
    }
    observer_.progress("write", 0);
    storage::save_factors<T>(world_, folder, read, options_.precision, factors);
  }

  const solve::FactorReport& report() const { return report_; }

 private:
  template <Scalar F>
  std::shared_ptr<solve::FactorSource<F>> factor() {
    const int threads =
        options_.threads > 0 ? options_.threads : mpi::processors_of_each(mpi::ranks_of_first_node(world_));
    auto made = solve::factor_once<F>(
        world_, system_, nullptr, [&](int failed) { return analysis(failed); }, {.threads = threads},
        observer_);
    made.source->expect_last();
    auto source = solve::factors_of_caller(world_, std::move(made.source), system_);
    const auto analyzed = source->analysis(world_);
    report_.seconds = made.seconds;
    if (world_.rank() > 0) return source;
    solve::describe(report_, *analyzed->structure, analyzed->kind,
                    numeric::estimate(*analyzed->structure, analyzed->kind, sizeof(F)));
    source->describe(report_);
    return source;
  }

  solve::AnalysisOptions wanted_analysis() const {
    model::PlanAxes axes = model::all_axes(options_.ranks);
    axes.diagonal = {options_.diagonal};
    return {.ordering = model::ordering_options(ordering::find_method(options_.ordering).method, axes),
            .symbolic = model::symbolic_options(options_.diagonal, options_.ranks)};
  }

  // By all ranks, or of the gathered matrix. On rank 0; elsewhere null.
  std::shared_ptr<const solve::Analysis> analysis(int failed) {
    const auto start = Clock::now();
    const auto choice = numeric::find_kind_choice(options_.kind);
    auto wanted = mpi::agree_on_error(world_, [&] { return wanted_analysis(); });
    const solve::AnalysisRequest request{
        .kind = choice, .failed = failed, .ordering = wanted.ordering, .symbolic = {&wanted.symbolic, 1}};
    std::optional<solve::Analysis> made;
    if (auto all = solve::analyze_in_parallel(world_, system_, request, observer_)) {
      if (!all->empty()) made = std::move(all->front());
    } else {
      solve::gather_to_order(world_, system_, [&](const matrix::Csr<T>& a, ordering::Helpers& helpers) {
        wanted.ordering.helpers = &helpers;
        made = solve::analyze_as(solve::chosen_kind(choice, a, failed), a, wanted, observer_);
      });
    }
    report_.analysis_seconds += seconds_since(start);
    return mpi::agree_on_error(
        world_, [&] { return made ? std::make_shared<const solve::Analysis>(*std::move(made)) : nullptr; });
  }

  const mpi::Communicator& world_;
  Observer& observer_;
  const FactorCommand& options_;
  solve::LinearSystem<T> system_;
  solve::FactorReport report_;
};

// The output files of rank 0.
struct FactorFiles {
  std::optional<OutputFile> json;
  std::optional<OutputFolder> folder;

  explicit FactorFiles(const FactorCommand& o) {
    require_distinct(std::array<FileOption, 2>{{{"--output", o.output}, {"--json", o.json}}},
                     std::array<FileOption, 1>{{{"matrix", o.matrix}}});
    json = open_output(o.json);
    folder.emplace(o.output, storage::foreign_to_factors);
  }
};

int factor(const Context& context, const FactorCommand& o) {
  std::optional<FactorFiles> files;
  mpi::agree_on_error(context.world, [&] {
    if (context.is_root()) files.emplace(o);
  });
  const auto read = solve::read_rows(context.world.handle(), o.matrix, context.terminal);
  const auto sizes =
      std::visit([](const auto& rows) { return std::pair(rows.a.cols(), rows.a.nonzeros()); }, read);
  report::RunRecord record{.version = version(),
                           .matrix = {.name = o.matrix,
                                      .rows = sizes.first,
                                      .nonzeros = static_cast<Offset>(
                                          context.world.sum(static_cast<std::uint64_t>(sizes.second)))}};
  const auto run = [&]<Scalar T>(T) {
    FactorJob<T> job(context, o, read);
    job.run(files ? &*files->folder : nullptr, read);
    return job.report();
  };
  const bool single = model::find_precision(o.precision).single_system;
  record.factor = matrix::with_scalar(is_complex_matrix(read),
                                      [&]<Scalar T>(T) { return single ? run(Single<T>()) : run(T()); });
  std::string summary;
  mpi::agree_on_error(context.world, [&] {
    if (!context.is_root()) return;
    if (files->json) {
      files->json->write(report::to_json(record));
      files->json->commit();
    }
    summary = report::factor_summary(record, o.output);
  });
  context.terminal.print_beside({o.json, o.output}, summary);
  return 0;
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
         "Number of ranks to order for, which the separators are made for (1: fastest on one rank). The "
         "factors can be used on any number of ranks")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--threads", o.threads, "Threads per rank (default: its part of the processors)")
      ->check(CLI::Range(1, most_threads));
  sub->add_option("--json", o.json, "Write the run record to this file (JSON)");
  sub->callback(
      [options, &run] { run = [options](const Context& context) { return factor(context, *options); }; });
}

}  // namespace trisweep::cli
