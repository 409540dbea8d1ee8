#include "trisweep/solve/compression_choice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "trisweep/core/split_mix.hpp"

namespace trisweep::solve {
namespace {

// Passes of a solve with compressed factors, for which eps is chosen.
constexpr int usual_passes = 2;

// Errors below this multiple of the target are rounding errors, not those of compression.
constexpr double rounding = 4;

// Time besides reading bytes, relative to an uncompressed sweep: widening values, and tiles too short to
// prefetch the next one in time.
constexpr double overhead_of_tiles = 0.2;

// True if a solve of `passes` passes with tiles takes no longer than one with uncompressed factors, in the
// model for sweeps limited by memory bandwidth.
template <Scalar T>
bool pays(const TriangularSolver<T>& solver, int passes, const WholeAnswers& whole) {
  const model::Machine machine = model::find_machine("generic");
  const CompressionReport& made = *solver.compression();
  const Index ranks = solver.comm().size();
  const int triangles = numeric::has_upper(solver.kind()) ? 1 : 2;  // times that a panel is read in a solve
  const double sweep = triangles * made.uncompressed_bytes() / ranks / model::rank_bandwidth(machine, ranks);
  const auto answer_seconds = [&](double of_sweep, int times) {
    return model::answer_price(of_sweep, times - 1, whole.product, machine, {.scalar_bytes = sizeof(T)})
        .seconds();
  };
  const double share = made.bytes() / made.uncompressed_bytes();
  return answer_seconds(time_of_sweep(share) * sweep, passes) <= answer_seconds(sweep, whole.passes);
}

}  // namespace

int passes_of_whole_factors(const RefinementOptions& options, bool half_precision) {
  return half_precision ? 3 : options.best ? 2 : 1;
}

// Measured time ratio for each ratio of bytes: 0.50 for 0.26, 0.50 for 0.29, 0.41 for 0.31 (fusion), 0.59 for
// 0.35, 0.51 for 0.39 (fusion), 0.53 for 0.43, 0.69 for 0.45, 0.78 for 0.51 (AMD EPYC with AVX-512, one core;
// docs/compression.md). Reading is limited by bandwidth; the time of widening is proportional to the number
// of values.
double time_of_sweep(double share) {
  return overhead_of_tiles + share;
}

double saved_by_compression(double share, double sweep_seconds, double answer_seconds, int passes,
                            int passes_of_whole) {
  const double judging = std::max(0.0, answer_seconds / passes - sweep_seconds);
  return passes_of_whole * (sweep_seconds / time_of_sweep(share) + judging) - answer_seconds;
}

template <Scalar T>
Compression automatic_compression(int passes_of_whole) {
  constexpr double margin = 16;
  return {.eps = std::sqrt(double(std::numeric_limits<RealOf<T>>::epsilon())) / margin,
          .most = std::min(1.0, double(passes_of_whole) / usual_passes) - overhead_of_tiles};
}

template <Scalar T>
RefinementOptions refinement_of_approximate(RefinementOptions options) {
  if (options.acceptable == 0) options.acceptable = acceptable_error<T>;
  options.small_unknowns = true;
  return options;
}

template <Scalar T>
std::optional<Compression> better_compression(TriangularSolver<T>& solver, RefinedSolver<T>& refined, Op op,
                                              RefinementOptions options, const WholeAnswers& whole) {
  const auto& partition = solver.partition();
  const Index rank = solver.comm().rank(), first = partition.first(rank), rows = partition.count(rank);
  const auto scale = solver.equation_scale(op);
  std::vector<T> b, x;
  mpi::agree_on_error(solver.comm(), [&] {
    x.resize(usize(rows));
    // Of similar size in the scaled system, independently of the equations' units, and equal on every grid.
    for (Index i = 0; i < rows; ++i)
      b.push_back(T(static_cast<RealOf<T>>(made_up_entry(usize(first + i)) / scale[usize(i)])));
  });
  options.max_steps = usual_passes - 1;
  const Refined tried = refined.solve(op, {b.data(), rows, 1}, {x.data(), rows, 1}, options);
  const double error = tried.error.arioli_demmel_duff;
  const int passes = tried.steps + (error <= options.acceptable ? 1 : 2);
  if (pays(solver, passes, whole)) return std::nullopt;
  Compression next = solver.options().compression;
  const bool first_try = next == automatic_compression<T>(whole.passes);
  if (!first_try || !(error > rounding * options.acceptable)) return Compression{};
  next.eps *= std::sqrt(options.acceptable / error) / 2;
  return next;
}

#define INSTANTIATE(T)                                                                                \
  template Compression automatic_compression<T>(int);                                                 \
  template RefinementOptions refinement_of_approximate<T>(RefinementOptions);                         \
  template std::optional<Compression> better_compression(TriangularSolver<T>&, RefinedSolver<T>&, Op, \
                                                         RefinementOptions, const WholeAnswers&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
