#include "trisweep/solve/compression_choice.hpp"

#include <cmath>
#include <vector>

#include "trisweep/core/split_mix.hpp"

namespace trisweep::solve {
namespace {

// A pass through tiles over one through numbers, in time for the same bytes: 1.7 to 2.0 (AMD EPYC with
// AVX-512, one core; docs/compression.md). Numbers are read as fast as memory allows, tiles are not.
constexpr double slowness = 2;
// With whole factors a solve, and one with its residual.
constexpr double usual_passes = 2;

// By the row's number alone, so that every grid asks the same.
double entry(Index row) {
  return 1 + unit_interval(split_mix(static_cast<std::uint64_t>(row) * golden));
}

}  // namespace

template <Scalar T>
Compression automatic_compression() {
  constexpr double margin = 16;
  return {.eps = std::sqrt(double(std::numeric_limits<RealOf<T>>::epsilon())) / margin, .most = 1 / slowness};
}

template <Scalar T>
RefinementOptions refinement_of_compressed(RefinementOptions options) {
  if (options.target == 0) options.target = 4 * double(std::numeric_limits<RealOf<T>>::epsilon());
  return options;
}

template <Scalar T>
bool compression_pays(TriangularSolver<T>& solver, RefinedSolver<T>& refined, Op op,
                      const RefinementOptions& options) {
  const auto& partition = solver.partition();
  const Index rank = solver.comm().rank(), first = partition.first(rank), rows = partition.count(rank);
  const auto scale = solver.equation_scale(op);
  std::vector<T> b, x;
  transport::collectively(solver.comm(), [&] {
    x.resize(usize(rows));
    // Of one size in the scaled system, whatever the units of the equations.
    for (Index i = 0; i < rows; ++i)
      b.push_back(T(static_cast<RealOf<T>>(entry(first + i) / scale[usize(i)])));
  });
  const int passes = 1 + refined.solve(op, {b.data(), rows, 1}, {x.data(), rows, 1}, options).steps;
  const CompressionReport& made = *solver.compression();
  return slowness * made.bytes() * passes <= usual_passes * made.uncompressed_bytes();
}

#define INSTANTIATE(T)                                                       \
  template Compression automatic_compression<T>();                           \
  template RefinementOptions refinement_of_compressed<T>(RefinementOptions); \
  template bool compression_pays(TriangularSolver<T>&, RefinedSolver<T>&, Op, const RefinementOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
