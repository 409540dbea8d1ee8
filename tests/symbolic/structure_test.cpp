#include "trisweep/symbolic/structure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "ordering/patterns.hpp"
#include "support/real_matrices.hpp"
#include "symbolic/dense_elimination.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::symbolic {
namespace {

using matrix::Pattern;
using ordering::Method;
using ordering::SeparatorTree;

constexpr SymbolicOptions exact{.max_width = 1 << 20, .supernode_bytes = 0, .row_bytes = 0};

Pattern reordered(const Pattern& pattern, const std::vector<Index>& new_of) {
  std::vector<test::Edge> edges;
  for (Index i = 0; i < pattern.rows; ++i) {
    for (const Index j : pattern.row(i)) edges.emplace_back(new_of[usize(i)], new_of[usize(j)]);
  }
  return test::pattern_of(pattern.rows, edges);
}

struct Ordered {
  Pattern pattern;
  SeparatorTree tree;
};

Ordered ordered(const Pattern& pattern, Method method, int levels = 3) {
  const auto o = ordering::order(test::laplacian(pattern), true, {.method = method, .tree_levels = levels});
  return {reordered(pattern, o.col_new), o.tree};
}

SeparatorTree no_tree(Index n) {
  return {.levels = 0, .begin = {0, 0}, .end = {0, n}};
}

void expect_permutation(std::vector<Index> p) {
  std::sort(p.begin(), p.end());
  for (std::size_t i = 0; i < p.size(); ++i) ASSERT_EQ(p[i], static_cast<Index>(i));
}

// Arrays that say the same thing must agree.
void expect_consistent(const Structure& s) {
  ASSERT_EQ(s.first.front(), 0);
  ASSERT_EQ(s.first.back(), s.n);
  ASSERT_EQ(s.row_ptr.back(), static_cast<Offset>(s.row.size()));
  ASSERT_EQ(s.block_ptr.back(), static_cast<Offset>(s.block.size()));
  for (Index k = 0; k < s.supernodes(); ++k) {
    ASSERT_GT(s.width(k), 0);
    for (Index j = s.first[usize(k)]; j < s.first[usize(k) + 1]; ++j) ASSERT_EQ(s.supernode_of[usize(j)], k);
    const auto rows = s.rows(k);
    ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end(), std::less_equal<>()));
    Index covered = 0;
    for (const Block& b : s.blocks(k)) {
      ASSERT_EQ(b.begin, covered);
      ASSERT_GT(b.end, b.begin);
      for (Index r = b.begin; r < b.end; ++r)
        ASSERT_EQ(s.supernode_of[usize(rows[usize(r)])], b.row_supernode);
      ASSERT_GT(b.row_supernode,
                b.begin == 0 ? k : s.blocks(k)[usize(&b - s.blocks(k).data()) - 1].row_supernode);
      covered = b.end;
    }
    ASSERT_EQ(covered, s.height(k));
    ASSERT_EQ(s.parent[usize(k)], rows.empty() ? -1 : s.supernode_of[usize(rows.front())]);
  }
}

// What the solver relies on.
void expect_nested(const Structure& s) {
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Index p = s.parent[usize(k)];
    if (p < 0) continue;
    for (const Index row : s.rows(k)) {
      if (row < s.first[usize(p) + 1]) continue;
      ASSERT_TRUE(std::ranges::binary_search(s.rows(p), row))
          << "row " << row << " of " << k << " not in " << p;
    }
    const auto blocks = s.blocks(k);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      std::set<Index> of_i;
      for (const Block& b : s.blocks(blocks[i].row_supernode)) of_i.insert(b.row_supernode);
      for (std::size_t j = i + 1; j < blocks.size(); ++j) ASSERT_TRUE(of_i.contains(blocks[j].row_supernode));
    }
  }
}

// The tree in supernodes covers the same columns as the tree in columns.
void expect_tree(const Structure& s, const SeparatorTree& columns) {
  ASSERT_EQ(s.tree.levels, columns.levels);
  for (Index t = 1; t < columns.nodes(); ++t) {
    EXPECT_EQ(s.first[usize(s.tree.begin[usize(t)])], columns.begin[usize(t)]);
    EXPECT_EQ(s.first[usize(s.tree.end[usize(t)])], columns.end[usize(t)]);
  }
}

// Every entry of L is stored; where nothing was amalgamated or cut through, nothing else is.
void expect_holds_factor(const Structure& s, const Pattern& final_pattern, bool tight) {
  const auto column = test::eliminated(final_pattern);
  for (Index k = 0; k < s.supernodes(); ++k) {
    const auto rows = s.rows(k);
    for (Index j = s.first[usize(k)]; j < s.first[usize(k) + 1]; ++j) {
      for (const Index i : column[usize(j)]) {
        if (i >= s.first[usize(k) + 1]) ASSERT_TRUE(std::ranges::binary_search(rows, i));
      }
      if (tight)
        ASSERT_EQ(static_cast<Index>(column[usize(j)].size()), s.first[usize(k) + 1] - j - 1 + s.height(k));
    }
  }
}

void expect_sound(const Ordered& o, const SymbolicOptions& options, bool brute_force = true) {
  const Analysis analysis = analyze(o.pattern, o.tree, options);
  const Structure& s = *analysis.structure;
  ASSERT_EQ(s.n, o.pattern.rows);
  expect_permutation(analysis.new_of_ordered);
  expect_consistent(s);
  expect_nested(s);
  expect_tree(s, o.tree);
  for (Index k = 0; k < s.supernodes(); ++k) ASSERT_LE(s.width(k), options.max_width);
  const bool tight = options.supernode_bytes == 0 && options.row_bytes == 0;
  if (brute_force) expect_holds_factor(s, reordered(o.pattern, analysis.new_of_ordered), tight);
}

TEST(Structure, HoldsTheFactorOfEveryGraphInEveryOrder) {
  for (const auto& [name, pattern] : test::assorted_patterns()) {
    for (const Method method : {Method::natural, Method::metis, Method::scotch}) {
      const Ordered o = ordered(pattern, method);
      for (const SymbolicOptions& options :
           {exact, SymbolicOptions{}, SymbolicOptions{.max_width = 5}, SymbolicOptions{.max_width = 1},
            SymbolicOptions{.max_width = 20, .supernode_bytes = 9999}}) {
        SCOPED_TRACE(name + ", method " + std::to_string(int(method)) + ", width " +
                     std::to_string(options.max_width));
        expect_sound(o, options);
      }
    }
  }
}

TEST(Structure, HoldsTheFactorOfManySmallRandomGraphs) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 1 + trial % 40;
    const Pattern pattern = test::pattern_of(n, test::random_edges(n, n * (trial % 5) / 2, random));
    const SymbolicOptions options{
        .max_width = 1 + trial % 9, .supernode_bytes = trial % 4 * 50, .row_bytes = trial % 3};
    SCOPED_TRACE(trial);
    expect_sound({pattern, no_tree(n)}, options);
    expect_sound({pattern, no_tree(n)}, exact);
  }
}

TEST(Structure, RealMatrices) {
  for (const auto& file :
       test::real_matrices({"bcsstk14.mtx.gz", "west0479.mtx.gz", "memplus.mtx.gz", "young1c.mtx.gz",
                            "gr_30_30.mtx.gz", "case_ACTIVSg2000_jac.mtx.gz"})) {
    SCOPED_TRACE(file);
    const auto any = matrix::read_matrix(file);
    std::visit(
        [](const auto& a) {
          const auto o = ordering::order(a, false, {});
          const auto b =
              matrix::permuted_and_scaled(a, {o.row_new}, {o.col_new}, {o.row_scale}, {o.col_scale});
          expect_sound({matrix::symmetrized(b.pattern), o.tree}, {}, b.rows() < 3000);
        },
        any);
  }
}

double stored_entries(const Structure& s) {
  double entries = 0;
  for (Index k = 0; k < s.supernodes(); ++k) entries += s.width(k) * (0.5 * (s.width(k) + 1) + s.height(k));
  return entries;
}

// Bytes streamed at 13 GB/s and 40 ns per supernode.
double sweep_seconds(const Structure& s) {
  return (8 * stored_entries(s) + 4 * double(s.row.size())) / 13e9 + 40e-9 * s.supernodes();
}

TEST(Structure, TheSeparatorTreeCostsNoFill) {
  for (const Pattern& pattern : {test::pattern_of(10000, test::box_edges(100, 100, 1, true)),
                                 test::pattern_of(8000, test::box_edges(20, 20, 20))}) {
    const Ordered flat = ordered(pattern, Method::metis, 0), tree = ordered(pattern, Method::metis, 6);
    EXPECT_LT(stored_entries(*analyze(tree.pattern, tree.tree, exact).structure),
              1.04 * stored_entries(*analyze(flat.pattern, flat.tree, exact).structure));
  }
}

TEST(Structure, AmalgamationMakesSweepsFaster) {
  for (const Pattern& pattern : {test::pattern_of(10000, test::box_edges(100, 100, 1, true)),
                                 test::pattern_of(8000, test::box_edges(20, 20, 20))}) {
    const Ordered o = ordered(pattern, Method::metis);
    const auto before = analyze(o.pattern, o.tree, exact).structure,
               after = analyze(o.pattern, o.tree, {}).structure;
    EXPECT_LT(sweep_seconds(*after), 0.9 * sweep_seconds(*before));
    EXPECT_LT(after->supernodes(), before->supernodes() / 4);
    EXPECT_LT(stored_entries(*after), 1.35 * stored_entries(*before));
  }
}

// Chains, ladders and trees: what a circuit or a narrow band looks like.
TEST(Structure, HasSmallSupernodesWithoutZerosWhereFrontsAreTiny) {
  std::vector<test::Edge> tree;
  for (Index i = 1; i < 3000; ++i) tree.emplace_back(i, (i - 1) / 3);
  for (const Pattern& pattern :
       {test::pattern_of(3000, test::box_edges(3000, 1, 1)), test::pattern_of(3000, tree),
        test::pattern_of(3000, test::box_edges(1000, 3, 1))}) {
    for (const Method method : {Method::amd, Method::metis}) {
      const Ordered o = ordered(pattern, method);
      const auto tiny = analyze(o.pattern, o.tree, {.max_width_if_tiny = 4}).structure;
      EXPECT_EQ(stored_entries(*tiny), stored_entries(*analyze(o.pattern, o.tree, exact).structure));
      for (Index k = 0; k < tiny->supernodes(); ++k) EXPECT_LE(tiny->width(k), 4);
    }
  }
}

TEST(Structure, ColumnsOfEqualStructureMakeOneSupernodeEvenWhenApart) {
  // 0 and 1 are twins below 3; 2 lies between 1 and 3 in the given order.
  const Analysis a = analyze(test::pattern_of(4, {{0, 1}, {0, 3}, {1, 3}, {2, 3}}), no_tree(4), exact);
  EXPECT_EQ(a.structure->supernodes(), 2);
}

TEST(Structure, CutsWideSupernodesEvenly) {
  std::vector<test::Edge> complete;
  for (Index i = 0; i < 300; ++i) {
    for (Index j = 0; j < i; ++j) complete.emplace_back(i, j);
  }
  const auto s = analyze(test::pattern_of(300, complete), no_tree(300), {.max_width = 128}).structure;
  EXPECT_THAT(s->first, testing::ElementsAre(0, 100, 200, 300));
  EXPECT_THAT(s->parent, testing::ElementsAre(1, 2, -1));
  EXPECT_EQ(s->height(0), 200);
}

TEST(Structure, EmptyMatrix) {
  const Analysis a = analyze(Pattern{}, no_tree(0), {});
  EXPECT_EQ(a.structure->supernodes(), 0);
}

TEST(Structure, RefusesWhatDoesNotFit) {
  const Pattern pattern = test::pattern_of(3, {});
  EXPECT_THROW(analyze(pattern, no_tree(2), {}), Error);
  EXPECT_THROW(analyze(pattern, SeparatorTree{}, {}), Error);
  EXPECT_THROW(analyze(pattern, no_tree(3), {.max_width = 0}), Error);
  EXPECT_THROW(analyze(pattern, no_tree(3), {.row_bytes = -1}), Error);
}

TEST(Reshaped, IsTheStructureWhenNothingChanges) {
  const auto o = ordered(test::pattern_of(120, test::box_edges(12, 10, 1)), Method::metis);
  const Structure s = *analyze(o.pattern, o.tree, {.max_width = 8, .whole_levels = 1}).structure;
  std::vector<Index> same(usize(s.supernodes()));
  std::iota(same.begin(), same.end(), 0);
  const Structure again = reshaped(s, same, {.first = s.first, .row_ptr = s.row_ptr, .row = s.row});
  expect_consistent(again);
  EXPECT_EQ(again.parent, s.parent);
  EXPECT_EQ(again.whole, s.whole);
  EXPECT_EQ(again.group, s.group);
  EXPECT_EQ(again.tree.begin, s.tree.begin);
  EXPECT_EQ(again.tree.end, s.tree.end);
}

// Of three nodes in a row, the first loses all it has, and the root is cut in two.
TEST(Reshaped, KeepsTheNodesOfSupernodesThatVanishOrAreCut) {
  Structure s;
  s.n = 6;
  s.first = {0, 1, 3, 6};
  s.whole = {0, 0, 1};
  s.tree = {.levels = 1, .begin = {0, 2, 0, 1}, .end = {0, 3, 1, 2}};
  const Structure r =
      reshaped(s, {1, 2, 2}, {.first = {0, 2, 4, 6}, .row_ptr = {0, 2, 4, 4}, .row = {2, 5, 4, 5}});
  EXPECT_EQ(r.parent, (std::vector<Index>{1, 2, -1}));
  EXPECT_EQ(r.whole, (std::vector<char>{0, 1, 1}));
  EXPECT_EQ(r.tree.begin, (std::vector<Index>{0, 1, 0, 0}));
  EXPECT_EQ(r.tree.end, (std::vector<Index>{0, 3, 0, 1}));
  EXPECT_EQ(r.supernode_of, (std::vector<Index>{0, 0, 1, 1, 2, 2}));
}

}  // namespace
}  // namespace trisweep::symbolic
