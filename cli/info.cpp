// trisweep info A.mtx: describes a matrix and its predicted factors, or saved factors.

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "factorization.hpp"
#include "saved_factors.hpp"
#include "system.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/model/factorization.hpp"
#include "trisweep/model/precision.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/report/text.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/solver.hpp"
#include "trisweep/sptrsv/lower_system.hpp"
#include "trisweep/sptrsv/shape.hpp"

namespace trisweep::cli {
namespace {

struct InfoOptions {
  std::string matrix;
  std::string factors;        // a folder
  std::string factorization;  // empty: nothing is factored
  Index ranks = 0;            // predict the peak memory on up to this many ranks; 0: no prediction
};

// `levels`: supernodes on the longest path to the root. `parallelism`: total work over the work on the
// costliest path, a bound on the speedup that the dependencies allow.
struct Shape {
  Index levels = 0;
  double parallelism = 1;
};

Shape shape_of(const symbolic::Structure& s) {
  std::vector<Index> level(usize(s.supernodes()), 1);
  std::vector<double> path(usize(s.supernodes()), 0);
  Shape shape;
  double all = 0, longest = 0;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const double entries = double(s.width(k)) * (s.width(k) + 2.0 * s.height(k));
    path[usize(k)] += entries;
    all += entries;
    longest = std::max(longest, path[usize(k)]);
    shape.levels = std::max(shape.levels, level[usize(k)]);
    if (const Index p = s.parent[usize(k)]; p >= 0) {
      level[usize(p)] = std::max(level[usize(p)], level[usize(k)] + 1);
      path[usize(p)] = std::max(path[usize(p)], path[usize(k)]);
    }
  }
  shape.parallelism = all / longest;
  return shape;
}

template <Scalar T>
std::string symmetry_of(const matrix::Csr<T>& a) {
  if (a.rows() != a.cols()) return "rectangular";
  if (matrix::is_symmetric(a, false)) return "symmetric";
  if (is_complex<T> && matrix::is_symmetric(a, true)) return "Hermitian";
  const auto t = matrix::transpose(a);
  const bool pattern = t.pattern.row_ptr == a.pattern.row_ptr && t.pattern.col == a.pattern.col;
  return pattern ? "unsymmetric values, symmetric pattern" : "unsymmetric";
}

// Lines of "  name            value".
class Lines {
 public:
  explicit Lines(const std::string& title) : text(title + "\n") {}

  template <class... Args>
  void add(const char* name, fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format("  {:<15} {}\n", name, fmt::format(format, std::forward<Args>(args)...));
  }

  std::string text;
};

// The options with which `solve` analyzes for one rank.
solve::AnalysisOptions analysis_options() {
  return {.ordering = {.method = ordering::Method::automatic},
          .symbolic = model::symbolic_options(model::PlanChoice{}.diagonal, 1)};
}

// `precision`: of the factors. `kind`: of the factorization, in words.
void describe_factors(const solve::Analysis& analysis, Offset nonzeros, std::size_t scalar_bytes,
                      std::string_view precision, std::string_view kind, Lines& lines) {
  const symbolic::Structure& s = *analysis.structure;
  const auto estimate = numeric::estimate(s, analysis.kind, scalar_bytes);
  const Shape shape = shape_of(s);
  lines.add("structural rank", "{} (full)", s.n);
  lines.add("factorization", "{}", kind);
  lines.add("supernodes", "{}, {:.1f} columns on average", s.supernodes(), double(s.n) / s.supernodes());
  lines.add("fill", "{:.1f} x the nonzeros of A",
            double(estimate.nonzeros_l + estimate.nonzeros_u) / double(nonzeros));
  lines.add("entries", "{} of L, {} of U, explicit zeros included", estimate.nonzeros_l, estimate.nonzeros_u);
  lines.add("factor size", "{:.3g} MB in {} precision", double(estimate.factor_bytes) * 1e-6, precision);
  lines.add("factor work", "{:.3g} Gflop", estimate.flops * 1e-9);
  lines.add("levels", "{} supernodes on the longest path", shape.levels);
  lines.add("parallelism", "{:.1f} (work / work on the critical path of a solve)", shape.parallelism);
}

// Predicts the peak memory on 1, 2, 4, ... ranks, to find a sufficient number before factoring.
template <Scalar T>
void describe_memory(const solve::Analysis& analysis, Offset nonzeros, Index most_ranks, Lines& lines) {
  const model::FactorizationProblem problem{.structure = *analysis.structure,
                                            .kind = analysis.kind,
                                            .nonzeros = nonzeros,
                                            .value_bytes = sizeof(T),
                                            .complex = is_complex<T>};
  const model::Machine machine = model::find_machine("generic");  // memory does not depend on it
  std::string text;
  for (Index ranks = 1;; ranks = std::min(2 * ranks, most_ranks)) {
    const auto price = model::price_factorization(problem, ranks, machine);
    const std::string needed = report::bytes(double(price.memory_bytes()));
    text += ranks == 1 ? needed + " to factor on 1 rank"
                       : fmt::format("{} {}: {}", ranks == 2 ? "; on the fullest of" : ",", ranks, needed);
    if (ranks == most_ranks) break;
  }
  lines.add("memory", "{}", text);
}

// Describes the triangle for trisweep sptrsv (multi-GPU zero-copy paper, Table I).
template <Scalar T>
void describe_triangle(const matrix::Csr<T>& a, Lines& lines) {
  const sptrsv::Form form{.upper = sptrsv::form_of(a.pattern).upper, .unit = true};
  const auto shape = sptrsv::shape_of(sptrsv::lower_system(a, form, Op::none).below);
  lines.add("triangular", "{}: {} levels, parallelism {:.4g} rows a level, dependency {:.3g} nonzeros a row",
            form.upper ? "upper" : "lower", shape.levels, shape.parallelism, double(a.nonzeros()) / a.rows());
}

template <Scalar T>
std::string describe(const matrix::Csr<T>& a, const InfoOptions& options, Observer& observer) {
  Lines lines(options.matrix);
  lines.add("size", "{} x {}, {} nonzeros, {}", a.rows(), a.cols(), a.nonzeros(),
            is_complex<T> ? "complex" : "real");
  lines.add("symmetry", "{}", symmetry_of(a));
  if (a.rows() != a.cols() || a.rows() == 0) return lines.text;
  if (sptrsv::is_triangular(a.pattern)) describe_triangle(a, lines);
  try {
    const solve::Analysis analysis = solve::analyze(a, analysis_options(), observer);
    describe_factors(analysis, a.nonzeros(), sizeof(T), "double",
                     analysis.kind == numeric::Kind::cholesky
                         ? "Cholesky (Hermitian with a positive diagonal), or L D L^T if not definite"
                         : numeric::describe(analysis.kind).title,
                     lines);
    if (options.ranks > 0) describe_memory<T>(analysis, a.nonzeros(), options.ranks, lines);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::numerical) throw;
    lines.add("structural rank", "deficient: {}", e.what());
    lines.add("factorization", "none: a structurally singular matrix has no factors");
  }
  return lines.text;
}

// Describes a folder of trisweep factor; T has the folder's precision.
template <Scalar T>
std::string describe_saved(const std::string& folder, Offset nonzeros, const std::string& precision) {
  Lines lines(folder);
  const mpi::Communicator self(MPI_COMM_SELF);
  const auto factors = load_given_factors<T>(self, folder);
  const auto describe = [&]<Scalar F>(solve::FactorSource<F>& source) {
    const auto analysis = source.analysis(self);
    solve::FactorReport report;
    source.describe(report);
    lines.add("made by", "trisweep factor, for any ranks, grid and mapping");
    describe_factors(*analysis, nonzeros, sizeof(F), sizeof(RealOf<F>) == sizeof(float) ? "single" : "double",
                     numeric::describe(analysis->kind).title, lines);
    lines.add("inverted", "{}", factors.diagonal);
    lines.add("pivots", "{} perturbed, {} delayed", report.perturbed_pivots, report.delayed_pivots);
    lines.add("to solve", "trisweep solve --factors {} (precision {})", folder, precision);
  };
  factors.in_full ? describe(*factors.in_full) : describe(*factors.in_single);
  return lines.text;
}

std::string describe_folder(const std::string& folder) {
  const std::string precision = factored_precision(folder);
  const bool single = model::find_precision(precision).single_system;
  const auto rows = load_factored_rows(mpi::Communicator(MPI_COMM_SELF), folder);
  const Offset nonzeros = std::visit([](const auto& read) { return read.a.nonzeros(); }, rows);
  return matrix::with_scalar(is_complex_matrix(rows), [&]<Scalar T>(T) {
    return single ? describe_saved<Single<T>>(folder, nonzeros, precision)
                  : describe_saved<T>(folder, nonzeros, precision);
  });
}

// Factors the matrix on this job's ranks and describes the memory of each.
template <Scalar T>
std::string factored(const Context& context, solve::BlockRows<T> rows, const InfoOptions& options) {
  const auto nonzeros = context.world.sum(static_cast<std::uint64_t>(rows.a.nonzeros()));
  Solver<T> solver(context.world.handle(), std::move(rows),
                   {.factorization = find_factorization(options.factorization),
                    .second_try = false,
                    .observer = &context.terminal});
  const solve::Report& made = solver.report();
  const solve::FactorReport& f = made.factor;
  Lines lines(options.matrix);
  lines.add("made by", "{} on {} in {:.3g} s, after {:.3g} s of analysis", f.factorization,
            report::counted(context.world.size(), "rank"), f.seconds, f.analysis_seconds);
  lines.add("factorization", "{}", numeric::find_kind(f.kind).title);
  lines.add("supernodes", "{}, {:.1f} columns on average", f.supernodes,
            double(solver.partition().rows()) / f.supernodes);
  lines.add("entries", "{} of L, {} of U, fill {:.1f} x", f.nonzeros_l, f.nonzeros_u,
            double(f.nonzeros_l + f.nonzeros_u) / double(nonzeros));
  lines.add("factor size", "{:.3g} MB", double(f.bytes) * 1e-6);
  lines.add("distribution", "{} on {}: {:.3g} MB with what layers replicate, {:.3g} MB on the fullest rank",
            made.plan.mapping, made.plan.grid.name(), made.panel_bytes * 1e-6, made.panel_bytes_max * 1e-6);
  lines.add("pivots", "{} perturbed, {} delayed", f.perturbed_pivots, f.delayed_pivots);
  return lines.text;
}

std::string factored_by_all(const Context& context, const InfoOptions& options) {
  mpi::agree_on_error(context.world, [&] { static_cast<void>(find_factorization(options.factorization)); });
  auto read = solve::read_rows(context.world.handle(), options.matrix, context.terminal);
  return matrix::with_scalar(is_complex_matrix(read), [&]<Scalar T>(T) {
    return factored<T>(context, std::get<solve::BlockRows<T>>(std::move(read)), options);
  });
}

std::string describe_on_root(const Context& context, const InfoOptions& options) {
  if (!context.is_root()) return {};
  if (!options.factors.empty()) return describe_folder(options.factors);
  const matrix::AnyCsr read = matrix::read_matrix(options.matrix, context.terminal);
  return matrix::with_scalar(matrix::is_complex_matrix(read), [&]<Scalar T>(T) {
    return describe(std::get<matrix::Csr<T>>(read), options, context.terminal);
  });
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* sub = app.add_subcommand(
      "info", "Describe a matrix and predict the size of its factors, or describe saved factors");
  auto* matrix =
      sub->add_option("matrix", options->matrix,
                      "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped");
  sub->add_option("--factors", options->factors, "Describe this folder of trisweep factor")->excludes(matrix);
  auto* ranks =
      sub->add_option(
             "--ranks", options->ranks,
             "Also predict the peak memory per rank of a factorization on 1, 2, 4, ... up to this many ranks")
          ->check(CLI::Range(1, 1 << 20))
          ->needs(matrix);
  sub->add_option("--factorization", options->factorization,
                  "Factor the matrix by this method on the ranks of this job, and report the memory of each")
      ->check(CLI::IsMember(names_of(factorizations())))
      ->excludes(ranks)
      ->needs(matrix);
  sub->callback([options, &run] {
    if (options->matrix.empty() && options->factors.empty()) throw CLI::RequiredError("matrix or --factors");
    run = [options](const Context& context) {
      std::string lines;
      if (!options->factorization.empty()) {
        lines = factored_by_all(context, *options);
      } else {
        mpi::agree_on_error(context.world, [&] { lines = describe_on_root(context, *options); });
      }
      context.terminal.print(lines);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
