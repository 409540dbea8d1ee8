#include "trisweep/krylov/inner_products.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace trisweep::krylov {
namespace {

template <Scalar T>
double largest_magnitude(const T* first, const T* last) {
  using R = RealOf<T>;
  constexpr std::size_t lanes = 16;
  std::array<R, lanes> largest{};
  std::array<bool, lanes> finite;
  finite.fill(true);
  const auto look = [&](const T& v, std::size_t lane) {
    const R magnitude = std::abs(v);
    largest[lane] = std::max(largest[lane], magnitude);
    finite[lane] &= magnitude <= std::numeric_limits<R>::max();
  };
  for (; last - first >= std::ptrdiff_t{lanes}; first += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) look(first[lane], lane);
  }
  for (; first != last; ++first) look(*first, 0);
  const bool all = std::all_of(finite.begin(), finite.end(), [](bool f) { return f; });
  return all ? double(*std::max_element(largest.begin(), largest.end()))
             : std::numeric_limits<double>::infinity();
}

}  // namespace

template <Scalar T>
std::vector<Sum<T>> inner_products(const transport::Team& team, std::span<const Pair<T>> pairs) {
  const auto runner = device::run_steps_on_host<T>(team.crew);
  const auto columns = columns_of(pairs[0].x);
  VectorSteps<T> steps(team.comm, *runner, pairs[0].x.cols, pairs.size());
  steps.start(std::vector<Index>(columns.begin(), columns.end()), {}, pairs, [] {});
  const auto sums = steps.finish();
  return {sums.begin(), sums.end()};
}

template <Scalar T>
std::vector<double> norms(const transport::Team& team, Vectors<const T> x) {
  const Pair<T> itself{x, x};
  const auto squares = inner_products<T>(team, {&itself, 1});
  std::vector<double> lengths(squares.size());
  std::ranges::transform(squares, lengths.begin(), [](const Sum<T>& s) { return std::sqrt(std::real(s)); });
  return lengths;
}

template <Scalar T>
std::vector<double> max_norms(const transport::Team& team, Vectors<const T> x) {
  return column_maxima(team, x.rows, x.cols, [&](double& largest, Index c, Crew::Part part) {
    largest = largest_magnitude(x.column(c) + part.begin, x.column(c) + part.end);
  });
}

template <Scalar T>
std::vector<double> max_norms_over(const transport::Team& team, Vectors<const T> x,
                                   std::span<const double> scale) {
  return column_maxima(team, x.rows, x.cols, [&](double& largest, Index c, Crew::Part part) {
    const T* const column = x.column(c);
    for (std::size_t i = part.begin; i < part.end; ++i)
      largest = larger(largest, double(std::abs(column[i])) / scale[i]);
  });
}

double larger(double largest, double candidate) {
  return candidate <= largest ? largest : std::isnan(candidate) ? HUGE_VAL : candidate;
}

#define INSTANTIATE(T)                                                                           \
  template std::vector<Sum<T>> inner_products(const transport::Team&, std::span<const Pair<T>>); \
  template std::vector<double> norms(const transport::Team&, Vectors<const T>);                  \
  template std::vector<double> max_norms(const transport::Team&, Vectors<const T>);              \
  template std::vector<double> max_norms_over(const transport::Team&, Vectors<const T>,          \
                                              std::span<const double>);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
