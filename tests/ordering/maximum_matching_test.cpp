#include "trisweep/ordering/maximum_matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "support/sparse_rows.hpp"

namespace trisweep::ordering {
namespace {

using Rows = std::vector<std::map<Index, double>>;

Index size_of(const std::vector<Index>& col_of_row) {
  return static_cast<Index>(std::ranges::count_if(col_of_row, [](Index j) { return j >= 0; }));
}

// As many as augmenting paths one by one find (Kuhn 1955).
Index largest_size(const matrix::Pattern& a) {
  std::vector<Index> row_of(usize(a.cols), -1);
  std::vector<char> seen;
  const std::function<bool(Index)> augment = [&](Index i) {
    for (const Index j : a.row(i)) {
      if (std::exchange(seen[usize(j)], 1)) continue;
      if (row_of[usize(j)] >= 0 && !augment(row_of[usize(j)])) continue;
      row_of[usize(j)] = i;
      return true;
    }
    return false;
  };
  Index size = 0;
  for (Index i = 0; i < a.rows; ++i) {
    seen.assign(usize(a.cols), 0);
    size += augment(i) ? 1 : 0;
  }
  return size;
}

void expect_matching(const matrix::Pattern& a, const std::vector<Index>& col_of_row) {
  std::vector<char> used(usize(a.cols));
  for (Index i = 0; i < a.rows; ++i) {
    const Index j = col_of_row.at(usize(i));
    if (j < 0) continue;
    EXPECT_TRUE(std::ranges::binary_search(a.row(i), j)) << i;
    EXPECT_FALSE(std::exchange(used[usize(j)], 1)) << j;
  }
}

TEST(MaximumMatching, MatchesAsManyRowsAsThereCanBe) {
  std::mt19937 random(7);
  Index complete = 0, deficient = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<Index>(1 + random() % 60);
    Rows rows(usize(n));
    const auto entries = usize(n) + random() % (2 * usize(n));
    for (std::size_t e = 0; e < entries; ++e)
      rows[random() % usize(n)][static_cast<Index>(random() % usize(n))] = 1;
    // Every second one has a matching of all rows, among entries that lead elsewhere.
    for (Index i = 0; i < n && trial % 2 == 0; ++i) rows[usize(n - 1 - i)][(i * 7 + 3) % n] = 1;
    const auto a = testing_support::csr_of(rows).pattern;
    const auto found = maximum_matching(a, silent_observer());
    expect_matching(a, found);
    EXPECT_EQ(size_of(found), largest_size(a)) << trial;
    ++(size_of(found) == n ? complete : deficient);
  }
  EXPECT_GT(complete, 100);
  EXPECT_GT(deficient, 100);
}

// Chains of pairs that may exchange their columns, in any order: no row or column has a single choice, and
// greedy ones are wrong now and then.
TEST(MaximumMatching, OfChainsOfPairs) {
  constexpr Index n = 600;
  std::mt19937 random(5);
  std::vector<Index> row(usize(n)), col(usize(n));
  std::iota(row.begin(), row.end(), Index{0});
  std::iota(col.begin(), col.end(), Index{0});
  for (int trial = 0; trial < 20; ++trial) {
    std::ranges::shuffle(row, random);
    std::ranges::shuffle(col, random);
    Rows rows(usize(n));
    const auto add = [&](Index i, Index j) { rows[usize(row[usize(i)])][col[usize(j)]] = 1; };
    for (Index i = 0; i < n; ++i) {
      add(i, i);
      add(i, i ^ 1);
      for (const Index back : {1, 20, 21})
        if (i - back >= 0) add(i, i - back);
    }
    const auto a = testing_support::csr_of(rows).pattern;
    const auto found = maximum_matching(a, silent_observer());
    expect_matching(a, found);
    EXPECT_EQ(size_of(found), n) << trial;
  }
}

TEST(MaximumMatching, IsTheDiagonalIfThatIsFull) {
  const auto a = testing_support::csr_of<double>({{{0, 1.0}, {1, 1.0}}, {{0, 1.0}, {1, 1.0}}}).pattern;
  EXPECT_EQ(maximum_matching(a, silent_observer()), (std::vector<Index>{0, 1}));
  EXPECT_EQ(maximum_matching(matrix::Pattern{}, silent_observer()), std::vector<Index>{});
}

}  // namespace
}  // namespace trisweep::ordering
