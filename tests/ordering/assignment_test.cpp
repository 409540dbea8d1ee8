#include "trisweep/ordering/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "support/largest.hpp"

namespace trisweep::ordering {
namespace {

// Rows 1 and 2 have the same cheapest column, and one of them has to take another for 5, or 7. What is
// cheapest in each row and column does not tell.
Costs two_for_a_column() {
  return {.row_ptr = {0, 2, 4, 6}, .col = {0, 2, 1, 2, 1, 2}, .cost = {0, 0, 0, 5, 0, 7}};
}

double cost_of(const Costs& costs, const Assignment& assignment) {
  double cost = 0;
  for (std::size_t i = 0; i + 1 < costs.row_ptr.size(); ++i) {
    for (Offset p = costs.row_ptr[i]; p < costs.row_ptr[i + 1]; ++p)
      if (costs.col[usize(p)] == assignment.col_of_row()[i]) cost += costs.cost[usize(p)];
  }
  return cost;
}

TEST(Assignment, SaysWhetherAllRowsCostMore) {
  for (const double most : {0.0, 4.9, 5.0, 100.0}) {
    SCOPED_TRACE(most);
    Assignment assignment(two_for_a_column());
    EXPECT_EQ(assignment.solve(silent_observer(), most), most >= 5);
    EXPECT_TRUE(assignment.solve(silent_observer()));  // goes on where rows are left
    EXPECT_EQ(assignment.rank(), 3);
    EXPECT_EQ(cost_of(two_for_a_column(), assignment), 5);
  }
}

TEST(Assignment, LeavesRowsOnceTheyCostMore) {
  // Each pair of rows wants one column: the first pair says that all cost more than 1.
  Costs costs{.row_ptr = {0}, .col = {}, .cost = {}};
  constexpr Index pairs = 10;
  for (Index i = 0; i < 2 * pairs; ++i) {
    costs.col.insert(costs.col.end(), {i / 2 * 2, i / 2 * 2 + 1});
    costs.cost.insert(costs.cost.end(), {0, 2.0 + i % 2});
    costs.row_ptr.push_back(std::ssize(costs.col));
  }
  Assignment assignment(costs);
  EXPECT_FALSE(assignment.solve(silent_observer(), 1));
  EXPECT_LT(assignment.rank(), 2 * pairs);
  EXPECT_TRUE(assignment.solve(silent_observer()));
  EXPECT_EQ(cost_of(costs, assignment), 2.0 * pairs);
}

// Of a matching that leaves rows there is no cost to know.
TEST(Assignment, OfTooFewColumns) {
  Assignment assignment({.row_ptr = {0, 1, 2}, .col = {0, 0}, .cost = {0, 1}});
  assignment.solve(silent_observer(), 0.5);
  assignment.solve(silent_observer());
  EXPECT_EQ(assignment.rank(), 1);
}

struct Entry {
  Index row, col;
  double cost;
};

Costs costs_of(Index n, const std::vector<Entry>& entries) {
  Costs costs{.row_ptr = std::vector<Offset>(usize(n) + 1), .col = {}, .cost = {}};
  for (const Entry& e : entries) ++costs.row_ptr[usize(e.row) + 1];
  std::partial_sum(costs.row_ptr.begin(), costs.row_ptr.end(), costs.row_ptr.begin());
  costs.col.resize(entries.size());
  costs.cost.resize(entries.size());
  std::vector<Offset> next = costs.row_ptr;
  for (const Entry& e : entries) {
    const auto p = usize(next[usize(e.row)]++);
    costs.col[p] = e.col;
    costs.cost[p] = e.cost;
  }
  return costs;
}

// Row i has the columns i and i - 1, the first row its own: one matching only, to which the cheapest entries
// of rows hardly lead.
Costs bidiagonal(Index n, std::mt19937& random, bool shuffle_rows = false) {
  std::vector<Index> row(usize(n));
  std::iota(row.begin(), row.end(), 0);
  if (shuffle_rows) std::shuffle(row.begin(), row.end(), random);
  std::uniform_real_distribution<double> cost(0, 4);
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    if (i > 0) entries.push_back({row[usize(i)], i - 1, cost(random)});
    entries.push_back({row[usize(i)], i, 3});
  }
  return costs_of(n, entries);
}

// Each row has its own column and one to four others, of few different costs: many paths are as short.
Costs scattered(Index n, std::mt19937& random) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> cols{i};
    for (auto more = 1 + random() % 4; more > 0; --more) cols.push_back(Index(random() % unsigned(n)));
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    for (const Index j : cols) entries.push_back({i, j, j == i ? 9.0 : double(random() % 8)});
  }
  return costs_of(n, entries);
}

// Odd segments have `length` rows and one column less, even ones a column more than rows: a row of each odd
// segment is left.
Costs deficient_chains(Index segments, Index length, std::mt19937& random) {
  std::uniform_real_distribution<double> cost(0, 6);
  std::vector<Entry> entries;
  Index row = 0, col = 0;
  for (Index s = 0; s < segments; ++s, row += length, col += length - 1) {
    for (Index k = 0; k < length; ++k) {
      if (k > 0) entries.push_back({row + k, col + k - 1, cost(random)});
      if (k + 1 < length) entries.push_back({row + k, col + k, cost(random)});
    }
  }
  for (Index s = 0; s < segments; ++s, row += length - 1, col += length) {
    for (Index k = 0; k + 1 < length; ++k) {
      entries.push_back({row + k, col + k, cost(random)});
      entries.push_back({row + k, col + k + 1, cost(random)});
    }
  }
  return costs_of(row, entries);
}

// Whatever is matched, what no matching costs less than is proved by dual variables: u(i) + v(j) <= c(i,j),
// and equal in the matched entries. Each column has one row.
void expect_proved(const Costs& costs, const Assignment& assignment) {
  const auto n = assignment.col_of_row().size();
  Index matched = 0;
  std::vector<char> used(n);
  testing_support::Largest infeasible, slack;
  for (std::size_t i = 0; i < n; ++i) {
    for (Offset p = costs.row_ptr[i]; p < costs.row_ptr[i + 1]; ++p) {
      const Index j = costs.col[usize(p)];
      const double reduced = costs.cost[usize(p)] - assignment.u()[i] - assignment.v()[usize(j)];
      infeasible.add(-reduced);
      if (assignment.col_of_row()[i] != j) continue;
      ++matched;
      EXPECT_FALSE(std::exchange(used[usize(j)], 1)) << j;
      slack.add(std::abs(reduced));
    }
  }
  EXPECT_EQ(matched, assignment.rank());
  EXPECT_LE(infeasible.value(), 1e-9);
  EXPECT_LE(slack.value(), 1e-9);
}

void expect_optimal(const Costs& costs) {
  Assignment assignment(costs);
  EXPECT_TRUE(assignment.solve(silent_observer()));
  EXPECT_EQ(assignment.rank(), std::ssize(costs.row_ptr) - 1);
  expect_proved(costs, assignment);
}

TEST(Assignment, IsOptimalInChains) {
  std::mt19937 random(1);
  for (const Index n : {1, 2, 3, 10, 100, 1000, 5000}) {
    SCOPED_TRACE(n);
    expect_optimal(bidiagonal(n, random));
    expect_optimal(bidiagonal(n, random, true));
  }
}

TEST(Assignment, IsOptimalWhereManyPathsAreAsShort) {
  std::mt19937 random(2);
  for (const Index n : {5, 50, 500, 5000}) {
    SCOPED_TRACE(n);
    for (int trial = 0; trial < 5; ++trial) expect_optimal(scattered(n, random));
  }
}

TEST(Assignment, MatchesWhatCanBeOfDeficientChains) {
  std::mt19937 random(3);
  for (const Index length : {2, 3, 10, 1000}) {
    SCOPED_TRACE(length);
    const Costs costs = deficient_chains(20, length, random);
    Assignment assignment(costs);
    assignment.solve(silent_observer());
    EXPECT_EQ(assignment.rank(), std::ssize(costs.row_ptr) - 1 - 20);
    expect_proved(costs, assignment);
  }
}

TEST(Assignment, SaysWhetherAllRowsOfAChainCostMore) {
  std::mt19937 random(4);
  constexpr Index n = 10'000;
  const Costs costs = bidiagonal(n, random);
  constexpr double optimum = 3.0 * n;
  for (const double share : {0.5, 0.9, 0.999, 1.0001}) {
    SCOPED_TRACE(share);
    Assignment assignment(costs);
    EXPECT_EQ(assignment.solve(silent_observer(), share * optimum), share > 1);
    EXPECT_TRUE(assignment.solve(silent_observer()));
    EXPECT_EQ(cost_of(costs, assignment), optimum);
    expect_proved(costs, assignment);
  }
}

// No v(j) can be larger: it is the least cost in its column, or an entry of the column whose row is matched
// to another such column is tight.
void expect_largest_prices(const Costs& costs, const Assignment& assignment) {
  const auto n = assignment.col_of_row().size();
  std::vector<double> least(n, std::numeric_limits<double>::infinity());
  for (std::size_t p = 0; p < costs.col.size(); ++p)
    least[usize(costs.col[p])] = std::min(least[usize(costs.col[p])], costs.cost[p]);
  std::vector<Index> row_of(n), reached;
  std::vector<char> is_largest(n);
  for (std::size_t i = 0; i < n; ++i) row_of[usize(assignment.col_of_row()[i])] = static_cast<Index>(i);
  const auto reach = [&](Index j, double slack) {
    if (slack <= 1e-9 && !std::exchange(is_largest[usize(j)], 1)) reached.push_back(j);
  };
  for (Index j = 0; j < std::ssize(least); ++j) reach(j, least[usize(j)] - assignment.v()[usize(j)]);
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const auto i = usize(row_of[usize(reached[k])]);
    for (Offset p = costs.row_ptr[i]; p < costs.row_ptr[i + 1]; ++p) {
      const Index j = costs.col[usize(p)];
      reach(j, costs.cost[usize(p)] - assignment.u()[i] - assignment.v()[usize(j)]);
    }
  }
  EXPECT_EQ(reached.size(), n);
}

// A square grid in which neighbours to one side cost slightly more than those to the other, as in convection
// by central differences, and the point itself much more: rows of all of the grid decide about each other.
Costs grid_of_near_ties(Index side, std::mt19937& random) {
  std::uniform_real_distribution<double> tie(0, 1e-3);
  std::vector<Entry> entries;
  for (Index x = 0; x < side; ++x)
    for (Index y = 0; y < side; ++y) {
      const auto add = [&](Index dx, Index dy, double cost) {
        if (std::min(x + dx, y + dy) < 0 || std::max(x + dx, y + dy) >= side) return;
        entries.push_back({x * side + y, (x + dx) * side + y + dy, cost + tie(random)});
      };
      add(-1, 0, 0);
      add(0, -1, 0);
      add(0, 0, 6.6);
      add(0, 1, 0.006);
      add(1, 0, 0.006);
    }
  return costs_of(side * side, entries);
}

// What is settled by searches is reported every 4096 columns.
struct Reports : Observer {
  int count = 0;
  double last = 0;
  void progress(std::string_view stage, double fraction) override {
    EXPECT_EQ(stage, "match");
    EXPECT_GE(fraction, last);
    last = fraction;
    ++count;
  }
};

// One search for each row would settle 800 million columns.
TEST(Assignment, SettlesFewColumnsOfLongChains) {
  std::mt19937 random(5);
  constexpr Index n = 100'000;
  const Costs costs = bidiagonal(n, random);
  Assignment assignment(costs);
  Reports reports;
  EXPECT_TRUE(assignment.solve(reports));
  EXPECT_LT(reports.count, 25 * n / 4096);
  EXPECT_EQ(assignment.rank(), n);
  expect_proved(costs, assignment);
  expect_largest_prices(costs, assignment);
}

// Searches that do not begin at auctioned prices settle 5 million columns.
TEST(Assignment, SettlesFewColumnsOfGrids) {
  std::mt19937 random(6);
  constexpr Index side = 200;
  const Costs costs = grid_of_near_ties(side, random);
  Assignment assignment(costs);
  Reports reports;
  EXPECT_TRUE(assignment.solve(reports));
  EXPECT_LT(reports.count, 500'000 / 4096);
  EXPECT_EQ(assignment.rank(), side * side);
  expect_proved(costs, assignment);
  expect_largest_prices(costs, assignment);
}

}  // namespace
}  // namespace trisweep::ordering
