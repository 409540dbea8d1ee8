#include "trisweep/krylov/inner_products.hpp"

#include <array>
#include <cmath>

namespace trisweep::krylov {
namespace {

template <Scalar T, class Measure>
std::vector<double> maxima_of(const mpi::ParallelContext& context, Vectors<const T> x,
                              const Measure& measure) {
  const auto found = column_maxima(context, x.rows, x.cols, [&](Index c, ThreadPool::Part part) {
    const T* const column = x.column(c);
    return largest_of(part,
                      [&](std::size_t i) { return std::array{measure(i, double(std::abs(column[i])))}; });
  });
  std::vector<double> maxima;
  for (const auto& [largest] : found) maxima.push_back(largest);
  return maxima;
}

}  // namespace

template <Scalar T>
std::vector<Sum<T>> inner_products(const mpi::ParallelContext& context, std::span<const Pair<T>> pairs) {
  device::StepRunner<T> runner(backend::Device::native, context.pool);
  const auto columns = columns_of(pairs[0].x);
  VectorSteps<T> steps(context.comm, runner, pairs[0].x.cols, pairs.size());
  steps.start(std::vector<Index>(columns.begin(), columns.end()), {}, pairs, [] {});
  const auto sums = steps.finish();
  return {sums.begin(), sums.end()};
}

template <Scalar T>
std::vector<double> norms(const mpi::ParallelContext& context, Vectors<const T> x) {
  const Pair<T> itself{x, x};
  const auto squares = inner_products<T>(context, {&itself, 1});
  std::vector<double> lengths(squares.size());
  std::ranges::transform(squares, lengths.begin(), [](const Sum<T>& s) { return std::sqrt(std::real(s)); });
  return lengths;
}

template <Scalar T>
std::vector<double> max_norms(const mpi::ParallelContext& context, Vectors<const T> x) {
  return maxima_of(context, x, [](std::size_t, double magnitude) { return magnitude; });
}

template <Scalar T>
std::vector<double> max_norms_over(const mpi::ParallelContext& context, Vectors<const T> x,
                                   std::span<const double> scale) {
  return maxima_of(context, x, [&](std::size_t i, double magnitude) { return magnitude / scale[i]; });
}

double larger(double largest, double candidate) {
  return candidate <= largest ? largest : std::isnan(candidate) ? HUGE_VAL : candidate;
}

#define INSTANTIATE(T)                                                                                \
  template std::vector<Sum<T>> inner_products(const mpi::ParallelContext&, std::span<const Pair<T>>); \
  template std::vector<double> norms(const mpi::ParallelContext&, Vectors<const T>);                  \
  template std::vector<double> max_norms(const mpi::ParallelContext&, Vectors<const T>);              \
  template std::vector<double> max_norms_over(const mpi::ParallelContext&, Vectors<const T>,          \
                                              std::span<const double>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
