#include "trisweep/symbolic/parts.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "ordering/patterns.hpp"

namespace trisweep::symbolic {
namespace {

using matrix::Pattern;

struct Numbered {
  Pattern pattern;
  DividedTree tree;
};

// The pattern in an order by dissection, with separators above subdomains on the first `above` levels; the
// subdomains below node 3 begin one level further up.
Numbered numbered(const Pattern& pattern, int levels, int above) {
  matrix::Csr<double> a{pattern, std::vector<double>(usize(pattern.nonzeros()), 1)};
  auto order = ordering::order(a, true, {.matching = false, .equilibrate = false, .tree_levels = levels});
  Numbered result{matrix::permuted(matrix::symmetrized(pattern), order.col_new, order.col_new),
                  {std::move(order.tree), {}}};
  result.tree.is_above.resize(usize(result.tree.tree.nodes()));
  for (Index t = 1; t < (Index{1} << above); ++t)
    result.tree.is_above[usize(t)] = t < (Index{1} << (above - 1)) || (t & 1) == 0;
  return result;
}

// The roots of subdomains, in the order of their columns.
void list_subdomains(const DividedTree& tree, Index t, std::vector<Index>& roots) {
  if (tree.is_above[usize(t)] == 0) return roots.push_back(t);
  list_subdomains(tree, 2 * t, roots);
  list_subdomains(tree, 2 * t + 1, roots);
}

Part subdomain(const Numbered& a, Index root) {
  Index first = root;
  while (!a.tree.tree.is_leaf(first)) first *= 2;
  const Index begin = a.tree.tree.begin[usize(first)], end = a.tree.tree.end[usize(root)];
  Part part{.own = end - begin};
  for (Index j = begin; j < end; ++j) part.number.push_back(j);
  for (Index j = begin; j < end; ++j)
    for (const Index i : a.pattern.row(j))
      if (i >= end) part.number.push_back(i);
  std::ranges::sort(part.number);
  part.number.erase(std::ranges::unique(part.number).begin(), part.number.end());
  std::vector<test::Edge> edges;
  const auto at = [&](Index j) {
    return static_cast<Index>(std::ranges::lower_bound(part.number, j) - part.number.begin());
  };
  for (Index j = begin; j < end; ++j)
    for (const Index i : a.pattern.row(j))
      if (i > j) edges.emplace_back(at(i), at(j));
  part.pattern = test::pattern_of(static_cast<Index>(part.number.size()), edges);
  return part;
}

Analysis in_parts(const Numbered& a, const SymbolicOptions& options) {
  std::vector<Index> roots;
  list_subdomains(a.tree, 1, roots);
  PartOfStructure subdomains;
  for (const Index root : roots) append(subdomains, analyze_subdomain(a.tree, subdomain(a, root), options));
  std::vector<std::array<Index, 2>> entries;
  for (Index t = 1; t < a.tree.tree.nodes(); ++t) {
    if (a.tree.is_above[usize(t)] == 0) continue;
    for (Index j = a.tree.tree.begin[usize(t)]; j < a.tree.tree.end[usize(t)]; ++j)
      for (const Index i : a.pattern.row(j))
        if (i > j) entries.push_back({i, j});
  }
  return joined(a.tree, subdomains, analyze_separators(a.tree, entries, subdomains, options));
}

class Parts : public testing::TestWithParam<SymbolicOptions> {};

TEST_P(Parts, MakeTheStructureOfTheWhole) {
  for (const Pattern& pattern : {test::pattern_of(900, test::box_edges(30, 30, 1, true)),
                                 test::pattern_of(1000, test::box_edges(10, 10, 10)),
                                 test::pattern_of(700, test::box_edges(700, 1, 1))}) {
    for (const int above : {1, 2, 3}) {
      const Numbered a = numbered(pattern, 4, above);
      const Analysis whole = analyze(a.pattern, a.tree.tree, GetParam());
      const Analysis made = in_parts(a, GetParam());
      EXPECT_EQ(made.structure->first, whole.structure->first);
      EXPECT_EQ(made.structure->row, whole.structure->row);
      EXPECT_EQ(made.structure->parent, whole.structure->parent);
      EXPECT_EQ(made.structure->whole, whole.structure->whole);
      EXPECT_EQ(made.structure->tree.begin, whole.structure->tree.begin);
      EXPECT_EQ(made.structure->tree.end, whole.structure->tree.end);
      EXPECT_EQ(made.new_of_ordered, whole.new_of_ordered);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Options, Parts,
                         testing::Values(SymbolicOptions{},
                                         SymbolicOptions{.supernode_bytes = 0, .row_bytes = 0},
                                         SymbolicOptions{.max_width = 8, .whole_levels = 3}));

}  // namespace
}  // namespace trisweep::symbolic
