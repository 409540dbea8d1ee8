#include "analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "system.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/compression_choice.hpp"

namespace trisweep::cli {
namespace {

struct Request {
  const std::string& matrix;
  const PlanOptions& options;
  const model::PlanAxes& axes;
  std::vector<std::string> diagonals;
};

template <Scalar T>
std::vector<model::SavedAnalysis> analyze_in(const Request& request, matrix::AnyCsr&& any,
                                             Observer& observer) {
  const matrix::Csr<T> a = take_matrix<T>(std::move(any));
  const auto start = Clock::now();
  std::vector<symbolic::SymbolicOptions> symbolic;
  for (const std::string& diagonal : request.diagonals)
    symbolic.push_back(model::symbolic_options(diagonal, request.axes.grid.front().ranks()));
  const auto ordering =
      model::ordering_options(ordering::find_method(request.options.ordering).method, request.axes);
  auto results =
      solve::analyze_each_as(solve::chosen_kind(numeric::find_kind_choice(request.options.kind), a), a,
                             ordering, symbolic, observer);
  const double seconds = seconds_since(start);
  const auto product = model::product_shares(a.pattern);
  std::vector<model::SavedAnalysis> analyses;
  for (std::size_t i = 0; i < results.size(); ++i) {
    analyses.push_back({.matrix = request.matrix,
                        .ordering = request.options.ordering,
                        .diagonal = request.diagonals[i],
                        .nonzeros = a.nonzeros(),
                        .complex = is_complex<T>,
                        .kind = std::string(numeric::describe(results[i].kind).name),
                        .seconds = seconds,
                        .product = product,
                        .structure = std::move(results[i].structure)});
  }
  return analyses;
}

std::vector<model::SavedAnalysis> analyze_file(const Request& request, Observer& observer) {
  matrix::AnyCsr any = matrix::read_matrix(request.matrix, observer);
  const bool single = model::find_precision(request.options.precision).single_system;
  return matrix::with_scalar(matrix::is_complex_matrix(any), [&]<Scalar T>(T) {
    return single ? analyze_in<Single<T>>(request, std::move(any), observer)
                  : analyze_in<T>(request, std::move(any), observer);
  });
}

double eps_to_price(const PlanOptions& options) {
  const solve::SolverOptions::Compress compress = *compress_option(options.compress);
  if (!compress.automatic) return compress.eps;
  return model::find_precision(options.precision).single_system
             ? solve::automatic_compression<Single<double>>().eps
             : solve::automatic_compression<double>().eps;
}

// The most demanding requirement on the dissection among the mappings and grids that may be chosen.
struct Need {
  distribution::NamedMapping mapping{};
  Index parts = 0;
};
Need most_needed(const model::PlanAxes& axes) {
  Need most;
  for (const std::string& name : axes.mapping) {
    const auto& mapping = distribution::find_mapping(name);
    for (const auto& grid : axes.grid) {
      if (const Index parts = mapping.parts(grid); parts >= most.parts) most = {mapping, parts};
    }
  }
  return most;
}

// Checks that the dissection of a saved analysis, which has the levels needed by the plan that it was made
// for, has enough levels for these axes.
void check_levels(const std::string& file, const model::SavedAnalysis& analysis,
                  const model::PlanAxes& axes) {
  const auto [mapping, parts] = most_needed(axes);
  const Index ranks = axes.grid.front().ranks();
  const int levels =
      ordering::tree_levels(analysis.structure->n, {.tree_levels = ordering::levels_to_parts(parts)});
  if (!ordering::find_method(analysis.ordering).dissects || analysis.structure->tree.levels >= levels) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} has {} levels of separators, too few for {} parts of the matrix", file,
                  analysis.structure->tree.levels, parts),
      mapping.only_ranks_count
          ? fmt::format("save an analysis with --mapping {} and --ranks {} or more: it "
                        "serves fewer ranks and block-cyclic grids, too",
                        mapping.name, ranks)
          : fmt::format("save an analysis for a --grid of {} layers or more: it serves fewer, too", parts));
}

bool of_one_matrix(const model::SavedAnalysis& a, const model::SavedAnalysis& b) {
  return a.matrix == b.matrix && a.ordering == b.ordering && a.nonzeros == b.nonzeros && a.kind == b.kind &&
         a.structure->n == b.structure->n;
}

std::vector<model::SavedAnalysis> load_analyses(const std::vector<std::string>& files) {
  std::vector<model::SavedAnalysis> analyses;
  for (const std::string& file : files) {
    model::SavedAnalysis analysis = load_analysis(file);
    for (const model::SavedAnalysis& other : analyses) {
      if (of_one_matrix(analysis, other) && analysis.diagonal != other.diagonal) continue;
      throw Error(ErrorKind::usage,
                  fmt::format("{} and {} are not analyses of one matrix for two choices of the diagonal",
                              files.front(), file),
                  "give one for each choice, or only one");
    }
    analyses.push_back(std::move(analysis));
  }
  return analyses;
}

}  // namespace

void MatrixSource::check() const {
  if (matrix.empty() && saved.empty()) throw CLI::RequiredError("matrix or --analysis");
}

void MatrixSource::require_distinct_from(std::span<const FileOption> outputs,
                                         const std::string& machine) const {
  std::vector<FileOption> inputs{{"matrix", matrix}, {"--machine", machine}};
  for (const std::string& file : saved) inputs.push_back({"--analysis", file});
  require_distinct(outputs, inputs);
}

void add_matrix_source(CLI::App& sub, MatrixSource& source) {
  auto* matrix =
      sub.add_option("matrix", source.matrix,
                     "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped");
  sub.add_option("--analysis", source.saved,
                 "Analysis written by --save-analysis, instead of a matrix; repeat for another --diagonal")
      ->allow_extra_args(false)
      ->excludes(matrix);
}

std::vector<model::SavedAnalysis> analyses_of(const MatrixSource& source, const PlanOptions& options,
                                              model::PlanAxes& axes, Observer& observer) {
  if (source.saved.empty()) return analyze_for_plans(source.matrix, options, axes, observer);
  auto analyses = load_analyses(source.saved);
  const auto wanted = std::exchange(axes.diagonal, {});
  for (const std::string& diagonal : wanted) {
    const auto at = std::ranges::find(analyses, diagonal, &model::SavedAnalysis::diagonal);
    if (at == analyses.end()) continue;
    check_levels(source.saved[usize(at - analyses.begin())], *at, axes);
    axes.diagonal.push_back(diagonal);
  }
  if (!axes.diagonal.empty()) return analyses;
  throw Error(ErrorKind::usage,
              fmt::format("{} is an analysis for --diagonal {}, not {}", source.saved.front(),
                          analyses.front().diagonal, fmt::join(wanted, " or ")),
              "give that option, or save an analysis for this one");
}

std::vector<model::SavedAnalysis> analyze_for_plans(const std::string& name, const PlanOptions& options,
                                                    const model::PlanAxes& axes, Observer& observer) {
  return analyze_file({name, options, axes, model::diagonals_to_analyze(axes)}, observer);
}

model::SavedAnalysis analyze_for_plan(const std::string& name, const PlanOptions& options,
                                      const distribution::ProcessGrid& grid, Observer& observer) {
  model::PlanChoice choice = options;
  choice.grid = grid;
  return std::move(analyze_file({name, options, model::only(choice), {options.diagonal}}, observer).front());
}

model::PlanProblem problem_of(std::span<const model::SavedAnalysis> analyses, const PlanOptions& options,
                              Index ranks, Index nrhs) {
  const model::SavedAnalysis& first = analyses.front();
  model::PlanProblem problem{
      .upper_is_lower = !numeric::has_upper(numeric::find_kind(first.kind).kind),
      .op = static_cast<Op>(options.op.front()),
      .workload = model::find_precision(options.precision).workload(nrhs, first.complex),
      .product = model::share_for(first.product, ranks)};
  problem.workload.compression_eps = eps_to_price(options);
  for (const model::SavedAnalysis& a : analyses) problem.analyzed.push_back({a.diagonal, a.structure});
  return problem;
}

std::optional<model::FactorizationPrice> factorization_price(std::span<const model::SavedAnalysis> analyses,
                                                             const std::string& diagonal, Index ranks,
                                                             const model::Workload& workload,
                                                             const model::Machine& machine) {
  if (machine.dgemm_flops == 0) return std::nullopt;
  const auto& analysis = *std::ranges::find(analyses, diagonal, &model::SavedAnalysis::diagonal);
  return model::price_factorization({.structure = *analysis.structure,
                                     .kind = numeric::find_kind(analysis.kind).kind,
                                     .nonzeros = analysis.nonzeros,
                                     .value_bytes = workload.stored_bytes,
                                     .complex = workload.complex},
                                    ranks, machine);
}

report::MatrixRecord matrix_record(const model::SavedAnalysis& a) {
  return {.name = a.matrix, .rows = a.structure->n, .nonzeros = a.nonzeros};
}

}  // namespace trisweep::cli
