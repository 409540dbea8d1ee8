#include "trisweep/ordering/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/ordering/assignment.hpp"
#include "trisweep/ordering/diagonal_blocks.hpp"
#include "trisweep/ordering/log_balance.hpp"

namespace trisweep::ordering {
namespace {

// Smaller magnitudes count as this one: the product of a row's and a column's factor, about a magnitude's
// reciprocal, then stays finite in the matrix's own precision even for subnormal numbers.
template <class T>
constexpr double smallest_magnitude = 8.0 * std::numeric_limits<RealOf<T>>::min();

// A value in [0, 1) that depends on (i, j) only.
double hashed(Index i, Index j) {
  return unit_interval(split_mix(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j)));
}

// Makes the choice between matchings that are equally good up to rounding the same for A and D1 A D2, which
// round differently. An off-diagonal entry costs a little more, depending on its position only; entries (i,
// j) and (j, i) cost nearly the same, so that pairs of rows exchange their columns, which keeps a symmetric
// pattern symmetric.
double preference(Index i, Index j) {
  if (i == j) return 0;
  const double of_pair = hashed(std::min(i, j), std::max(i, j));
  return 0x1p-11 * (1 + of_pair) + 0x1p-22 * (i < j ? of_pair : hashed(i, j));
}

// Calls visit(i, j, |a(i,j)|) for every entry but explicit zeros, which are no candidates.
template <class T, class Visit>
void for_each_candidate(const matrix::Csr<T>& a, const Visit& visit) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset p : a.pattern.entries(i)) {
      const double magnitude = std::abs(a.value[usize(p)]);
      if (magnitude != 0)
        visit(usize(i), usize(a.pattern.col[usize(p)]), std::max(magnitude, smallest_magnitude<T>));
    }
  }
}

// If, after scaling rows to a largest entry of 1, the diagonal has the largest entry of each column, no
// matching is better; returns the exponents that make its entries 1. Takes no logarithm of each entry.
template <class T>
std::optional<Exponents> units_of_dominant_diagonal(const matrix::Csr<T>& a) {
  std::vector<double> row(usize(a.rows())), col(usize(a.rows())), diagonal(usize(a.rows()));
  for_each_candidate(a, [&](std::size_t i, std::size_t j, double v) {
    row[i] = std::max(row[i], v);
    if (i == j) diagonal[i] = v;
  });
  if (std::ranges::count(diagonal, 0.0) > 0) return std::nullopt;
  for_each_candidate(a,
                     [&](std::size_t i, std::size_t j, double v) { col[j] = std::max(col[j], v / row[i]); });
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double share = diagonal[i] / row[i];
    if (share < col[i] || share < std::numeric_limits<double>::min()) return std::nullopt;
  }
  const auto exponent = [](double v) { return -std::log2(v); };
  std::ranges::transform(row, row.begin(), exponent);
  std::ranges::transform(col, col.begin(), exponent);
  return Exponents{.row = std::move(row), .col = std::move(col)};
}

template <class T>
Logarithms logarithms_of(const matrix::Csr<T>& a) {
  Logarithms logs{.row_ptr = std::vector<Offset>(usize(a.rows()) + 1), .col = {}, .value = {}};
  logs.col.resize(a.value.size());
  logs.value.resize(a.value.size());
  std::size_t candidates = 0;
  for_each_candidate(a, [&](std::size_t i, std::size_t j, double v) {
    logs.col[candidates] = static_cast<Index>(j);
    logs.value[candidates++] = std::log2(v);
    ++logs.row_ptr[i + 1];
  });
  logs.col.resize(candidates);
  logs.value.resize(candidates);
  std::partial_sum(logs.row_ptr.begin(), logs.row_ptr.end(), logs.row_ptr.begin());
  return logs;
}

// Lowers the exponents until no entry is above 1 and each row and column has a 1.
void lower_to_one(const Logarithms& logs, Exponents& e) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const auto lower = [&](std::vector<double>& exponents, const auto& line) {
    std::vector<double> largest(exponents.size(), none);
    for_each_entry(logs, [&](std::size_t i, std::size_t j, std::size_t p) {
      double& most = largest[line(i, j)];
      most = std::max(most, e.row[i] + logs.value[p] + e.col[j]);
    });
    std::transform(exponents.begin(), exponents.end(), largest.begin(), exponents.begin(), std::minus<>{});
  };
  lower(e.row, [](std::size_t i, std::size_t) { return i; });
  lower(e.col, [](std::size_t, std::size_t j) { return j; });
}

// The number of bits by which an entry falls short of 1.
double cost_of(std::size_t i, std::size_t j, double log, const Exponents& e) {
  return preference(static_cast<Index>(i), static_cast<Index>(j)) - (e.row[i] + log + e.col[j]);
}

// Calls visit(i, j, cost) for every entry.
template <class Visit>
void for_each_cost(const Logarithms& logs, const Exponents& e, const Visit& visit) {
  for_each_entry(logs, [&](std::size_t i, std::size_t j, std::size_t p) {
    visit(i, j, cost_of(i, j, logs.value[p], e));
  });
}

// Of the entries within the diagonal blocks. Others are in no matching, and would make searches long.
Costs costs_of(const Logarithms& logs, const Exponents& e, const DiagonalBlocks& blocks) {
  Costs costs{.row_ptr = std::vector<Offset>(logs.row_ptr.size()), .col = {}, .cost = {}};
  for_each_cost(logs, e, [&](std::size_t i, std::size_t j, double cost) {
    if (blocks.of_row[i] != blocks.of_col[j]) return;
    costs.col.push_back(static_cast<Index>(j));
    costs.cost.push_back(cost);
    ++costs.row_ptr[i + 1];
  });
  std::partial_sum(costs.row_ptr.begin(), costs.row_ptr.end(), costs.row_ptr.begin());
  return costs;
}

double sum(const Exponents& e) {
  return std::reduce(e.row.begin(), e.row.end(), std::reduce(e.col.begin(), e.col.end()));
}

constexpr double worth_a_change = 0.1;  // bits per row

// Difference between the largest and the smallest exponent, in bits.
double spread(std::span<const double> exponents) {
  if (exponents.empty()) return 0;
  const auto [low, high] = std::minmax_element(exponents.begin(), exponents.end());
  return *high - *low;
}

// In convection problems entries along the stream differ from those against it, and balancing them makes
// units drift by a factor with each step in the graph. If that exceeds the range of T, balancing stops
// earlier: its first steps even out units that differ from one row to the next.
template <Scalar T>
Exponents balanced_within_range(const Logarithms& logs) {
  constexpr double most = std::numeric_limits<RealOf<T>>::max_exponent;
  Exponents balanced;
  for (const double least_gain : {1e-3, 2.0, 10.0}) {
    balanced = balance(logs, least_gain);
    lower_to_one(logs, balanced);
    if (std::max(spread(balanced.row), spread(balanced.col)) <= most) break;
  }
  return balanced;
}

// Exponents of the given units.
Exponents given_units(const Logarithms& logs) {
  const auto n = usize(logs.rows());
  Exponents given{.row = std::vector<double>(n), .col = std::vector<double>(n)};
  lower_to_one(logs, given);
  return given;
}

// A matching by magnitudes in these units.
struct MatchingInUnits {
  Exponents units;
  Assignment assignment;
};

MatchingInUnits begin_in(Exponents units, const Logarithms& logs, const DiagonalBlocks& blocks) {
  Costs costs = costs_of(logs, units, blocks);
  return {std::move(units), Assignment(std::move(costs))};
}

// Matches in the given units or, if these suit the matrix less, in balanced ones. Of two scalings under which
// no entry exceeds 1, the better one has the larger product of factors; the largest product is that of the
// matching (the dual of this problem). So no scaling gains more than the cost of a matching in the given
// units, and these are balanced only if that cost exceeds the gain that a change is worth.
template <Scalar T>
MatchingInUnits match_in_better_units(const Logarithms& logs, const DiagonalBlocks& blocks,
                                      Observer& observer) {
  MatchingInUnits given = begin_in(given_units(logs), logs, blocks);
  const double least_gain = worth_a_change * double(logs.rows());
  if (given.assignment.solve(observer, least_gain)) return given;
  Exponents balanced = balanced_within_range<T>(logs);
  if (sum(given.units) + least_gain < sum(balanced)) given = begin_in(std::move(balanced), logs, blocks);
  given.assignment.solve(observer);
  return given;
}

template <Scalar T>
MatchingInUnits match_in_balanced_units(const Logarithms& logs, const DiagonalBlocks& blocks,
                                        Observer& observer) {
  MatchingInUnits balanced = begin_in(balanced_within_range<T>(logs), logs, blocks);
  balanced.assignment.solve(observer);
  return balanced;
}

// The scaling of a matching is not unique, and may have larger factors than the data need. Some matrices need
// factors of 2^120; beyond this many bits scaled values overflow sooner than scaling helps.
constexpr double most_spread = 400;

void require_full_rank(const Assignment& assignment, const RowNumbers& numbers) {
  const auto col_of = assignment.col_of_row();
  if (assignment.rank() == static_cast<Index>(col_of.size())) return;
  const auto row = static_cast<Index>(std::find(col_of.begin(), col_of.end(), -1) - col_of.begin());
  throw Error(ErrorKind::numerical,
              fmt::format("the matrix is structurally singular: its structural rank is {} of {}; row {} "
                          "(counting from 0) cannot be matched to a column of its own",
                          assignment.rank(), col_of.size(), numbers(row)),
              "check how the matrix was assembled: some rows together have nonzeros in too few columns");
}

// Only the products of a row's and a column's factor matter: shifting the row exponents up and the column
// exponents down by the same amount centres both, which keeps them farthest from overflow.
template <Scalar T>
Scaling scaling_of(Exponents exponents) {
  if (exponents.row.empty()) return {};
  const auto [row_low, row_high] = std::minmax_element(exponents.row.begin(), exponents.row.end());
  const auto [col_low, col_high] = std::minmax_element(exponents.col.begin(), exponents.col.end());
  const double shift = std::nearbyint(((*col_low + *col_high) - (*row_low + *row_high)) / 4);
  constexpr double most = std::numeric_limits<RealOf<T>>::max_exponent - 8;  // vectors are scaled in T
  for (double& e : exponents.row) e = power_of_two(std::clamp(e + shift, -most, most));
  for (double& e : exponents.col) e = power_of_two(std::clamp(e - shift, -most, most));
  return {.row = std::move(exponents.row), .col = std::move(exponents.col)};
}

// All rows and columns as one block, if none are found: then the matrix may be structurally singular.
DiagonalBlocks diagonal_blocks(const Logarithms& logs, Observer& observer) {
  const auto n = usize(logs.rows());
  auto blocks = find_diagonal_blocks({logs.rows(), logs.rows(), logs.row_ptr, logs.col}, observer);
  if (!blocks) return {.count = 1, .of_row = std::vector<Index>(n), .of_col = std::vector<Index>(n)};
  return *std::move(blocks);
}

// Dual variables of the whole matrix: those of the assignment, the ones of each block's rows lowered and of
// its columns raised by the least that also makes u(i) + v(j) <= cost(i,j) in the off-diagonal blocks.
Exponents dual_variables(const MatchingInUnits& matching, const Logarithms& logs,
                         const DiagonalBlocks& blocks) {
  const std::span<const double> u = matching.assignment.u(), v = matching.assignment.v();
  Exponents dual{.row = {u.begin(), u.end()}, .col = {v.begin(), v.end()}};
  if (blocks.count == 1) return dual;
  std::vector<double> slack;
  slack.reserve(logs.col.size());
  for_each_cost(logs, matching.units,
                [&](std::size_t i, std::size_t j, double cost) { slack.push_back(cost - u[i] - v[j]); });
  std::vector<double> shift(usize(blocks.count));
  for (const Index i : blocks.rows) {
    double& here = shift[usize(blocks.of_row[usize(i)])];
    for (Offset p = logs.row_ptr[usize(i)]; p < logs.row_ptr[usize(i) + 1]; ++p) {
      const Index block = blocks.of_col[usize(logs.col[usize(p)])];
      if (block != blocks.of_row[usize(i)]) here = std::min(here, shift[usize(block)] + slack[usize(p)]);
    }
  }
  for (std::size_t i = 0; i < u.size(); ++i) {
    dual.row[i] += shift[usize(blocks.of_row[i])];
    dual.col[i] -= shift[usize(blocks.of_col[i])];
  }
  return dual;
}

}  // namespace

template <Scalar T>
Matching match_large_entries(const matrix::Csr<T>& a, Observer& observer, const MatchingOptions& options) {
  if (auto dominant = options.balanced ? std::nullopt : units_of_dominant_diagonal(a)) {
    std::vector<Index> diagonal(usize(a.rows()));
    std::iota(diagonal.begin(), diagonal.end(), 0);
    observer.progress("match", 1.0);
    return {.col_of_row = std::move(diagonal), .scaling = scaling_of<T>(*std::move(dominant))};
  }
  const Logarithms logs = logarithms_of(a);
  const DiagonalBlocks blocks = diagonal_blocks(logs, observer);
  MatchingInUnits matching = options.balanced ? match_in_balanced_units<T>(logs, blocks, observer)
                                              : match_in_better_units<T>(logs, blocks, observer);
  observer.progress("match", 1.0);
  require_full_rank(matching.assignment, options.numbers);
  const Exponents dual = dual_variables(matching, logs, blocks);
  const auto col_of = matching.assignment.col_of_row();
  return {.col_of_row = {col_of.begin(), col_of.end()},
          .scaling = scaling_by<T>(std::move(matching.units), dual)};
}

template <Scalar T>
Costs costs_of_rows(const matrix::Csr<T>& rows, Index first, const Exponents& units) {
  Costs costs{.row_ptr = std::vector<Offset>(usize(rows.rows()) + 1), .col = {}, .cost = {}};
  for_each_candidate(rows, [&](std::size_t i, std::size_t j, double v) {
    costs.col.push_back(static_cast<Index>(j));
    costs.cost.push_back(cost_of(usize(first) + i, j, std::log2(v), units));
    ++costs.row_ptr[i + 1];
  });
  std::partial_sum(costs.row_ptr.begin(), costs.row_ptr.end(), costs.row_ptr.begin());
  return costs;
}

template <Scalar T>
Scaling scaling_by(Exponents units, const Exponents& dual) {
  const auto add = [](std::vector<double>& to, const std::vector<double>& duals) {
    std::ranges::transform(to, duals, to.begin(), std::plus<>{});
  };
  if (std::max(spread(dual.row), spread(dual.col)) <= most_spread) {
    add(units.row, dual.row);
    add(units.col, dual.col);
  }
  return scaling_of<T>(std::move(units));
}

#define INSTANTIATE(T)                                                                             \
  template Matching match_large_entries(const matrix::Csr<T>&, Observer&, const MatchingOptions&); \
  template Costs costs_of_rows(const matrix::Csr<T>&, Index, const Exponents&);                    \
  template Scaling scaling_by<T>(Exponents, const Exponents&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::ordering
