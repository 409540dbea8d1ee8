#include "trisweep/ordering/assignment.hpp"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace trisweep::ordering
