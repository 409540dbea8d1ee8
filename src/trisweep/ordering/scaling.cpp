#include "trisweep/ordering/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace trisweep::ordering {
namespace {

constexpr double smallest_exponent = std::numeric_limits<double>::min_exponent - 1;
constexpr double largest_exponent = std::numeric_limits<double>::max_exponent - 1;

// Calls visit(i, j, |a(i,j)|) for every entry.
template <class T, class Visit>
void for_each_magnitude(const matrix::Csr<T>& a, Visit&& visit) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset p : a.pattern.entries(i)) {
      visit(usize(i), usize(a.pattern.col[usize(p)]), static_cast<double>(std::abs(a.value[usize(p)])));
    }
  }
}

// The power of two that brings `magnitude` into [0.5, 1).
double reciprocal(double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  return power_of_two(-exponent);
}

}  // namespace

double power_of_two(double exponent) {
  const double rounded = std::nearbyint(std::clamp(exponent, smallest_exponent, largest_exponent));
  return std::ldexp(1.0, static_cast<int>(rounded));
}

Scaling unit_scaling(Index n) {
  return {.row = std::vector<double>(usize(n), 1.0), .col = std::vector<double>(usize(n), 1.0)};
}

template <Scalar T>
Scaling equilibrate(const matrix::Csr<T>& a) {
  Scaling scaling{.row = std::vector<double>(usize(a.rows())), .col = std::vector<double>(usize(a.cols()))};
  std::vector<double>&row = scaling.row, &col = scaling.col;
  for_each_magnitude(a, [&](auto i, auto, double v) { row[i] = std::max(row[i], v); });
  std::transform(row.begin(), row.end(), row.begin(), reciprocal);
  for_each_magnitude(a, [&](auto i, auto j, double v) { col[j] = std::max(col[j], row[i] * v); });
  std::transform(col.begin(), col.end(), col.begin(), reciprocal);
  return scaling;
}

template <Scalar T>
Scaling equilibrate_symmetrically(const matrix::Csr<T>& a) {
  std::vector<double> largest(usize(a.rows())), diagonal(usize(a.rows()));
  for_each_magnitude(a, [&](auto i, auto j, double v) {
    largest[i] = std::max(largest[i], v);
    if (i == j) diagonal[i] = v;
  });
  std::vector<double> scale(usize(a.rows()));
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const double reference = diagonal[i] > 0 ? diagonal[i] : largest[i];
    scale[i] = power_of_two(-0.5 * std::log2(reference));
  }
  return {.row = scale, .col = scale};
}

#define INSTANTIATE(T)                                 \
  template Scaling equilibrate(const matrix::Csr<T>&); \
  template Scaling equilibrate_symmetrically(const matrix::Csr<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::ordering
