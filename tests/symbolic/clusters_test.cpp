#include "trisweep/symbolic/clusters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gallery/gallery.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::symbolic {
namespace {

matrix::Pattern permuted(const matrix::Pattern& a, const std::vector<Index>& new_of) {
  return matrix::symmetrized(matrix::permuted(a, new_of, new_of));
}

// Columns below which the elimination of `pattern` puts entries where the structure has none.
Index columns_that_do_not_fit(const matrix::Pattern& pattern, const Structure& s) {
  const auto holds = [&](Index k, Index row) {
    return row < s.first[usize(k) + 1] || std::ranges::binary_search(s.rows(k), row);
  };
  Index misfits = 0;
  for (Index j = 0; j < s.n; ++j) {
    const Index k = s.supernode_of[usize(j)];
    for (const Index i : pattern.row(j)) misfits += i > j && !holds(k, i);
  }
  for (Index k = 0; k < s.supernodes(); ++k) {
    if (s.parent[usize(k)] < 0) continue;
    for (const Index row : s.rows(k)) misfits += !holds(s.parent[usize(k)], row);
  }
  return misfits;
}

TEST(Clusters, KeepTheStructureAndHoldTheFactors) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("poisson3d", {.n = 14}));
  const auto order = ordering::order(a, true, {.tree_levels = 3});
  const auto pattern = permuted(a.pattern, order.col_new);
  const Analysis before = analyze(pattern, order.tree, {.max_width = 32});
  const auto in_order = permuted(pattern, before.new_of_ordered);
  const Analysis after = clustered(in_order, *before.structure, 32);
  const Structure &s = *before.structure, &t = *after.structure;
  EXPECT_EQ(t.first, s.first);
  EXPECT_EQ(t.row_ptr, s.row_ptr);
  EXPECT_EQ(t.whole, s.whole);
  EXPECT_NE(t.row, s.row);
  std::vector<Index> sorted = after.new_of_ordered;
  EXPECT_FALSE(std::ranges::is_sorted(sorted));
  std::ranges::sort(sorted);
  for (Index j = 0; j < t.n; ++j) ASSERT_EQ(sorted[usize(j)], j);
  EXPECT_EQ(columns_that_do_not_fit(permuted(in_order, after.new_of_ordered), t), 0);
  EXPECT_GT(columns_that_do_not_fit(in_order, t), 0);
}

// A path whose points are numbered at random comes out in the order of the path.
TEST(Clusters, PutNeighboursNextToEachOther) {
  constexpr Index n = 100;
  const auto number = [](Index i) { return i * 37 % n; };
  matrix::Pattern pattern{.rows = n, .cols = n, .row_ptr = {0}, .col = {}};
  std::vector<Index> place(n);
  for (Index i = 0; i < n; ++i) place[usize(number(i))] = i;
  for (Index j = 0; j < n; ++j) {
    std::vector<Index> row{j};
    for (const Index step : {-1, 1}) {
      const Index i = place[usize(j)] + step;
      if (i >= 0 && i < n) row.push_back(number(i));
    }
    std::ranges::sort(row);
    pattern.col.insert(pattern.col.end(), row.begin(), row.end());
    pattern.row_ptr.push_back(static_cast<Offset>(pattern.col.size()));
  }
  const ordering::SeparatorTree root{.levels = 0, .begin = {0, 0}, .end = {0, n}};
  Structure s{.n = n,
              .first = {0, n},
              .supernode_of = std::vector<Index>(n),
              .parent = {-1},
              .row_ptr = {0, 0},
              .row = {},
              .block_ptr = {0, 0},
              .block = {},
              .whole = {0},
              .group = {0},
              .tree = root};
  s.tree.end[1] = 1;
  const auto result = clustered(pattern, s, 10);
  for (Index i = 0; i + 1 < n; ++i) {
    const Index apart = result.new_of_ordered[usize(number(i))] - result.new_of_ordered[usize(number(i + 1))];
    EXPECT_LE(std::abs(apart), 2) << i;
  }
}

}  // namespace
}  // namespace trisweep::symbolic
