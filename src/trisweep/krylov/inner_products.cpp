#include "trisweep/krylov/inner_products.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace trisweep::krylov {
namespace {

// Rows are summed strip by strip, and strips one after the other: no sum depends on who has which strip.
constexpr std::size_t most_strips = 128;
constexpr std::size_t shortest_strip = 512;

std::size_t strip_rows(std::size_t rows) {
  return std::max(shortest_strip, (rows + most_strips - 1) / most_strips);
}

// conjugate(x) y, without the tests of infinities that complex products have.
template <Scalar T>
Sum<T> product(const T& x, const T& y) {
  if constexpr (is_complex<T>) {
    const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    return {a * c + b * d, a * d - b * c};
  } else {
    return double(x) * double(y);
  }
}

// Several sums at once, none of which waits for another.
template <Scalar T>
Sum<T> inner_product(const T* x, const T* y, std::size_t rows) {
  constexpr std::size_t lanes = 8;
  std::array<Sum<T>, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= rows; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += product(x[i + lane], y[i + lane]);
  }
  for (; i < rows; ++i) sums[0] += product(x[i], y[i]);
  for (std::size_t lane = 1; lane < lanes; ++lane) sums[0] += sums[lane];
  return sums[0];
}

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
  const std::size_t rows = usize(pairs[0].x.rows), columns = usize(pairs[0].x.cols);
  const std::size_t products = pairs.size() * columns;
  const std::size_t length = strip_rows(rows), strips = (rows + length - 1) / length;
  std::vector<Sum<T>> by_strip(strips * products), sums(products);
  team.crew.run([&](int thread) {
    const Crew::Part mine = team.crew.part(thread, strips, 1);
    for (std::size_t strip = mine.begin; strip < mine.end; ++strip) {
      const std::size_t begin = strip * length, count = std::min(length, rows - begin);
      for (std::size_t i = 0; i < products; ++i) {
        const Pair<T>& pair = pairs[i / columns];
        const auto c = static_cast<Index>(i % columns);
        by_strip[strip * products + i] =
            inner_product(pair.x.column(c) + begin, pair.y.column(c) + begin, count);
      }
    }
  });
  for (std::size_t i = 0; i < by_strip.size(); ++i) sums[i % products] += by_strip[i];
  constexpr std::size_t reals = is_complex<T> ? 2 : 1;
  team.comm.sum({reinterpret_cast<double*>(sums.data()), sums.size() * reals});
  return sums;
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
