#include "trisweep/solve/compression_choice.hpp"

#include <cmath>
#include <vector>

#include "trisweep/core/split_mix.hpp"

namespace trisweep::solve {
namespace {

constexpr double largest_share = 2.0 / 3;  // that takes no more time

// With whole factors a solve, and one with its residual.
constexpr int usual_passes = 2;

// Errors of less than so many times the target are no longer those of compression.
constexpr double rounding = 4;

}  // namespace

// 0.56 for 0.26, 0.54 for 0.29, 0.60 for 0.31 (fusion, whose residuals take long), 0.55 for 0.35, 0.71 for
// 0.39 (fusion), 0.66 for 0.43, 0.81 for 0.45, 0.82 for 0.51 (AMD EPYC with AVX-512, one core;
// docs/compression.md). Numbers are read as fast as memory allows; what widening them takes goes by their
// count.
double time_of_pass(double share) {
  return 0.3 + share;
}

template <Scalar T>
Compression automatic_compression() {
  constexpr double margin = 16;
  return {.eps = std::sqrt(double(std::numeric_limits<RealOf<T>>::epsilon())) / margin,
          .most = largest_share};
}

template <Scalar T>
RefinementOptions refinement_of_compressed(RefinementOptions options) {
  if (options.acceptable == 0) options.acceptable = 10 * double(std::numeric_limits<RealOf<T>>::epsilon());
  return options;
}

template <Scalar T>
std::optional<Compression> better_compression(TriangularSolver<T>& solver, RefinedSolver<T>& refined, Op op,
                                              RefinementOptions options) {
  const auto& partition = solver.partition();
  const Index rank = solver.comm().rank(), first = partition.first(rank), rows = partition.count(rank);
  const auto scale = solver.equation_scale(op);
  std::vector<T> b, x;
  transport::collectively(solver.comm(), [&] {
    x.resize(usize(rows));
    // Of one size in the scaled system, whatever the units of the equations, and the same on every grid.
    for (Index i = 0; i < rows; ++i)
      b.push_back(T(static_cast<RealOf<T>>(made_up_entry(usize(first + i)) / scale[usize(i)])));
  });
  options.max_steps = usual_passes - 1;
  const Refined tried = refined.solve(op, {b.data(), rows, 1}, {x.data(), rows, 1}, options);
  const double error = tried.error.arioli_demmel_duff;
  const int passes = tried.steps + (error <= options.acceptable ? 1 : 2);
  const CompressionReport& made = *solver.compression();
  if (time_of_pass(made.bytes() / made.uncompressed_bytes()) * passes <= usual_passes) return std::nullopt;
  Compression next = solver.options().compression;
  const bool first_try = next == automatic_compression<T>();
  if (!first_try || !(error > rounding * options.acceptable)) return Compression{};
  next.eps *= std::sqrt(options.acceptable / error) / 2;
  return next;
}

#define INSTANTIATE(T)                                                                                \
  template Compression automatic_compression<T>();                                                    \
  template RefinementOptions refinement_of_compressed<T>(RefinementOptions);                          \
  template std::optional<Compression> better_compression(TriangularSolver<T>&, RefinedSolver<T>&, Op, \
                                                         RefinementOptions);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
