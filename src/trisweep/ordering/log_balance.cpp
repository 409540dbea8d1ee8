#include "trisweep/ordering/log_balance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace trisweep::ordering {
namespace {

constexpr int most_steps = 300;

using Vector = std::vector<double>;

// With M and N the diagonal matrices of the numbers of entries of rows and columns, and E the pattern with
// all entries 1, the least-squares equations are
//   r = -M^-1 (row sums of log2 |a| + E c),   S c = (N - E^T M^-1 E) c = right-hand side:
// means over rows, then over columns.
class Means {
 public:
  explicit Means(const Logarithms& a) : a_(a), in_col_(usize(a.rows())) {
    for (const Index j : a.col) ++in_col_[usize(j)];
  }

  // -(the mean of value(j, p) over the row, or of value(i, p) over the column).
  template <class Value>
  Vector over_rows(const Value& value) const {
    Vector mean(usize(a_.rows()));
    for_each_entry(a_, [&](std::size_t i, std::size_t j, std::size_t p) { mean[i] -= value(j, p); });
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] /= double(a_.row_ptr[i + 1] - a_.row_ptr[i]);
    return mean;
  }
  template <class Value>
  Vector over_cols(const Value& value) const {
    Vector mean(in_col_.size());
    for_each_entry(a_, [&](std::size_t i, std::size_t j, std::size_t p) { mean[j] -= value(i, p); });
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] /= in_col_[j];
    return mean;
  }
  // N^-1 S x: x minus the means, over each column, of the means of x over rows. Each row is traversed twice
  // while it is in the cache.
  Vector apply(const Vector& x) const {
    Vector y(x.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::span row(a_.col.data() + a_.row_ptr[i], a_.col.data() + a_.row_ptr[i + 1]);
      double mean = 0;
      for (const Index j : row) mean += x[usize(j)];
      mean /= double(row.size());
      for (const Index j : row) y[usize(j)] += mean;
    }
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = x[j] - y[j] / in_col_[j];
    return y;
  }
  // The inner product in which N^-1 S is symmetric.
  double dot(const Vector& x, const Vector& y) const {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += in_col_[j] * x[j] * y[j];
    return sum;
  }

 private:
  const Logarithms& a_;
  Vector in_col_;
};

}  // namespace

Exponents balance(const Logarithms& a, double least_gain) {
  const Means means(a);
  const auto rows_for = [&](const Vector& c) {
    return means.over_rows([&](std::size_t j, std::size_t p) { return a.value[p] + c[j]; });
  };
  Vector c(usize(a.rows()));
  Vector r = rows_for(c);
  // Conjugate gradients for N^-1 S c = N^-1 rhs.
  Vector residual = means.over_cols([&](std::size_t i, std::size_t p) { return a.value[p] + r[i]; });
  Vector direction = residual;
  double length = means.dot(residual, residual);
  const double enough = least_gain * double(a.rows());
  double gain = 2 * enough;
  for (int step = 0; step < most_steps && gain > enough; ++step) {
    const Vector image = means.apply(direction);
    const double curvature = means.dot(direction, image);
    if (!(curvature > 0)) break;
    const double alpha = length / curvature;
    gain = alpha * length;
    for (std::size_t j = 0; j < c.size(); ++j) {
      c[j] += alpha * direction[j];
      residual[j] -= alpha * image[j];
    }
    const double before = std::exchange(length, means.dot(residual, residual));
    for (std::size_t j = 0; j < c.size(); ++j) direction[j] = residual[j] + length / before * direction[j];
  }
  r = rows_for(c);
  return {.row = std::move(r), .col = std::move(c)};
}

}  // namespace trisweep::ordering
