#include "trisweep/ordering/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/assignment.hpp"

namespace trisweep::ordering {
namespace {

// Below this a magnitude counts as this: the product of a row's and a column's factor, about its reciprocal,
// then stays finite in the matrix's own precision even for subnormal numbers.
template <class T>
constexpr double smallest_magnitude = 8.0 * std::numeric_limits<RealOf<T>>::min();

// Costs in units of log2; explicit zeros are no candidates. Also returns log2 max_k |a(i,k)| of every row.
template <class T>
std::pair<Costs, std::vector<double>> costs_of(const matrix::Csr<T>& a) {
  Costs costs;
  costs.row_ptr.reserve(usize(a.rows()) + 1);
  costs.row_ptr.push_back(0);
  costs.col.reserve(a.value.size());
  costs.cost.reserve(a.value.size());
  std::vector<double> row_log(usize(a.rows()), -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < a.rows(); ++i) {
    double& largest = row_log[usize(i)];
    for (Offset p = a.pattern.row_ptr[usize(i)]; p < a.pattern.row_ptr[usize(i) + 1]; ++p) {
      const double magnitude = std::abs(a.value[usize(p)]);
      if (magnitude == 0) continue;
      costs.col.push_back(a.pattern.col[usize(p)]);
      costs.cost.push_back(std::log2(std::max(magnitude, smallest_magnitude<T>)));
      largest = std::max(largest, costs.cost.back());
    }
    for (std::size_t p = usize(costs.row_ptr.back()); p < costs.cost.size(); ++p) {
      costs.cost[p] = largest - costs.cost[p];
    }
    costs.row_ptr.push_back(static_cast<Offset>(costs.cost.size()));
  }
  return {std::move(costs), std::move(row_log)};
}

void require_full_rank(const Assignment& assignment) {
  const auto col_of = assignment.col_of_row();
  if (assignment.rank() == static_cast<Index>(col_of.size())) return;
  const auto row = std::find(col_of.begin(), col_of.end(), -1) - col_of.begin();
  throw Error(ErrorKind::numerical,
              fmt::format("the matrix is structurally singular: its structural rank is {} of {}; row {} "
                          "(counting from 1) cannot be matched to a column of its own",
                          assignment.rank(), col_of.size(), row + 1),
              "check how the matrix was assembled: some rows together have nonzeros in too few columns");
}

// Only the products of a row's and a column's factor matter: shifting the row exponents up and the column
// exponents down alike centres both, which keeps the farthest from overflow.
Scaling scaling_of(const Assignment& assignment, const std::vector<double>& row_log) {
  const std::size_t n = row_log.size();
  if (n == 0) return {};
  std::vector<double> row(n), col(assignment.v().begin(), assignment.v().end());
  for (std::size_t i = 0; i < n; ++i) row[i] = assignment.u()[i] - row_log[i];
  const auto [row_low, row_high] = std::minmax_element(row.begin(), row.end());
  const auto [col_low, col_high] = std::minmax_element(col.begin(), col.end());
  const double shift = std::nearbyint(((*col_low + *col_high) - (*row_low + *row_high)) / 4);
  for (double& e : row) e = power_of_two(e + shift);
  for (double& e : col) e = power_of_two(e - shift);
  return {.row = std::move(row), .col = std::move(col)};
}

}  // namespace

template <Scalar T>
Matching match_large_entries(const matrix::Csr<T>& a, Observer& observer) {
  auto [costs, row_log] = costs_of(a);
  Assignment assignment(std::move(costs));
  assignment.solve(observer);
  require_full_rank(assignment);
  const auto col_of = assignment.col_of_row();
  return {.col_of_row = {col_of.begin(), col_of.end()}, .scaling = scaling_of(assignment, row_log)};
}

#define INSTANTIATE(T) template Matching match_large_entries(const matrix::Csr<T>&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::ordering
