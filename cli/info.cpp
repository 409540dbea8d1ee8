// trisweep info A.mtx: what a matrix is, and what its factors will be.

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/analysis.hpp"

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

template <Scalar T>
void describe(const matrix::Csr<T>& a, const std::string& name, Observer& observer) {
  fmt::print("{}\n", name);
  fmt::print("  size            {} x {}, {} nonzeros, {}\n", a.rows(), a.cols(), a.nonzeros(),
             is_complex<T> ? "complex" : "real");
  fmt::print("  symmetry        {}\n", symmetry_of(a));
  if (a.rows() != a.cols()) return;
  const auto analysis = solve::analyze(a, {}, observer);
  const symbolic::Structure& s = *analysis.structure;
  const auto estimate = numeric::estimate(s, analysis.kind, sizeof(T));
  const Shape shape = shape_of(s);
  fmt::print("  structural rank {} (full)\n", a.rows());
  fmt::print("  factorization   {}\n",
             analysis.kind == numeric::Kind::cholesky
                 ? "Cholesky (Hermitian with a positive diagonal), or LU if not definite"
                 : "LU");
  fmt::print("  supernodes      {}, {:.1f} columns on average\n", s.supernodes(),
             double(s.n) / s.supernodes());
  fmt::print("  fill            {:.1f} x the nonzeros of A; factors {:.1f} MB\n",
             double(estimate.nonzeros_l + estimate.nonzeros_u) / double(a.nonzeros()),
             double(estimate.factor_bytes) * 1e-6);
  fmt::print("  factor work     {:.3g} GFLOP\n", estimate.flops * 1e-9);
  fmt::print("  levels          {} supernodes on the longest path\n", shape.levels);
  fmt::print("  parallelism     {:.1f} (work / work on the critical path of a solve)\n", shape.parallelism);
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  auto file = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("info", "Describe a matrix and the factors it will have");
  sub->add_option("matrix", *file,
                  "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped")
      ->required();
  sub->callback([file, &run] {
    run = [file](const Context& context) {
      transport::collectively(context.world, [&] {
        if (!context.is_root()) return;
        std::visit([&](const auto& a) { describe(a, *file, context.observer); },
                   matrix::read_matrix(*file, context.observer));
      });
      return 0;
    };
  });
}

}  // namespace trisweep::cli
