// trisweep info A.mtx: what a matrix is, and what its factors will be.

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/model/analysis_options.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/sptrsv/lower_system.hpp"
#include "trisweep/sptrsv/shape.hpp"

namespace trisweep::cli {
namespace {

// Supernodes on the longest path to the root, and how much work there is per work on the costliest path: a
// bound on the speedup that the dependencies allow.
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

// As `solve` analyzes for one rank.
solve::AnalysisOptions analysis_options() {
  return {.ordering = {.method = ordering::Method::automatic},
          .symbolic = model::symbolic_options(model::PlanChoice{}.diagonal, 1)};
}

void describe_factors(const solve::Analysis& analysis, Offset nonzeros, std::size_t scalar_bytes,
                      Lines& lines) {
  const symbolic::Structure& s = *analysis.structure;
  const auto estimate = numeric::estimate(s, analysis.kind, scalar_bytes);
  const Shape shape = shape_of(s);
  lines.add("structural rank", "{} (full)", s.n);
  lines.add("factorization", "{}",
            analysis.kind == numeric::Kind::cholesky
                ? "Cholesky (Hermitian with a positive diagonal), or L D L^T if not definite"
                : numeric::describe(analysis.kind).title);
  lines.add("supernodes", "{}, {:.1f} columns on average", s.supernodes(), double(s.n) / s.supernodes());
  lines.add("fill", "{:.1f} x the nonzeros of A",
            double(estimate.nonzeros_l + estimate.nonzeros_u) / double(nonzeros));
  lines.add("factor size", "{:.3g} MB in double precision", double(estimate.factor_bytes) * 1e-6);
  lines.add("factor work", "{:.3g} Gflop", estimate.flops * 1e-9);
  lines.add("levels", "{} supernodes on the longest path", shape.levels);
  lines.add("parallelism", "{:.1f} (work / work on the critical path of a solve)", shape.parallelism);
}

// As trisweep sptrsv solves with it (multi-GPU zero-copy paper, Table I).
template <Scalar T>
void describe_triangle(const matrix::Csr<T>& a, Lines& lines) {
  const sptrsv::Form form{.upper = sptrsv::form_of(a.pattern).upper, .unit = true};
  const auto shape = sptrsv::shape_of(sptrsv::lower_system(a, form, Op::none).below);
  lines.add("triangular", "{}: {} levels, parallelism {:.4g} rows a level, dependency {:.3g} nonzeros a row",
            form.upper ? "upper" : "lower", shape.levels, shape.parallelism, double(a.nonzeros()) / a.rows());
}

template <Scalar T>
std::string describe(const matrix::Csr<T>& a, const std::string& name, Observer& observer) {
  Lines lines(name);
  lines.add("size", "{} x {}, {} nonzeros, {}", a.rows(), a.cols(), a.nonzeros(),
            is_complex<T> ? "complex" : "real");
  lines.add("symmetry", "{}", symmetry_of(a));
  if (a.rows() != a.cols() || a.rows() == 0) return lines.text;
  if (sptrsv::is_triangular(a.pattern)) describe_triangle(a, lines);
  try {
    describe_factors(solve::analyze(a, analysis_options(), observer), a.nonzeros(), sizeof(T), lines);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::numerical) throw;
    lines.add("structural rank", "deficient: {}", e.what());
    lines.add("factorization", "none: a structurally singular matrix has no factors");
  }
  return lines.text;
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  auto file = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("info", "Describe a matrix and its predicted factors");
  sub->add_option("matrix", *file,
                  "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped")
      ->required();
  sub->callback([file, &run] {
    run = [file](const Context& context) {
      std::string lines;
      mpi::agree_on_error(context.world, [&] {
        if (!context.is_root()) return;
        lines = std::visit([&](const auto& a) { return describe(a, *file, context.terminal); },
                           matrix::read_matrix(*file, context.terminal));
      });
      context.terminal.print(lines);
      return 0;
    };
  });
}

}  // namespace trisweep::cli
