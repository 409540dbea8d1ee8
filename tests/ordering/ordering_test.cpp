#include "trisweep/ordering/ordering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "gallery/gallery.hpp"
#include "ordering/patterns.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::ordering {
namespace {

using matrix::Csr;
using testing::HasSubstr;

std::vector<Index> node_of_columns(const SeparatorTree& tree, Index n) {
  std::vector<Index> node(usize(n), 0);
  for (Index t = 1; t < tree.nodes(); ++t) {
    for (Index j = tree.begin[usize(t)]; j < tree.end[usize(t)]; ++j) {
      EXPECT_EQ(node[usize(j)], 0) << "column " << j << " is in two nodes";
      node[usize(j)] = t;
    }
  }
  return node;
}

bool is_ancestor(Index above, Index below) {
  while (below > above) below /= 2;
  return below == above;
}

// Left subtree, right subtree, root: the columns are consumed without gaps in that order.
Index expect_postordered(const SeparatorTree& tree, Index node, Index next) {
  if (!tree.is_leaf(node))
    next = expect_postordered(tree, 2 * node + 1, expect_postordered(tree, 2 * node, next));
  EXPECT_EQ(tree.begin[usize(node)], next);
  EXPECT_GE(tree.end[usize(node)], next);
  return tree.end[usize(node)];
}

void expect_permutation(std::vector<Index> p) {
  std::sort(p.begin(), p.end());
  for (std::size_t i = 0; i < p.size(); ++i) ASSERT_EQ(p[i], static_cast<Index>(i));
}

// What the 3D solve relies on, checked on every nonzero.
template <class T>
void expect_separated(const Csr<T>& a, const Ordering& o) {
  expect_permutation(o.row_new);
  expect_permutation(o.col_new);
  EXPECT_EQ(expect_postordered(o.tree, 1, 0), a.rows());
  const std::vector<Index> node = node_of_columns(o.tree, a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Index j : a.pattern.row(i)) {
      const Index s = node[usize(o.row_new[usize(i)])], t = node[usize(o.col_new[usize(j)])];
      EXPECT_TRUE(is_ancestor(s, t) || is_ancestor(t, s)) << "entry " << i << ", " << j;
    }
  }
}

class EveryMethod : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Ordering, EveryMethod,
                         testing::Values(Method::automatic, Method::metis, Method::scotch, Method::amd,
                                         Method::natural));

TEST_P(EveryMethod, SeparatesTheNodesOfTheTreeOnEveryGraph) {
  for (const auto& [name, pattern] : test::assorted_patterns()) {
    for (const int levels : {0, 1, 3, 9}) {
      SCOPED_TRACE(name + ", levels " + std::to_string(levels));
      const Csr<double> a = test::laplacian(pattern);
      expect_separated(a, order(a, true, {.method = GetParam(), .tree_levels = levels}));
      expect_separated(a, order(a, false, {.method = GetParam(), .tree_levels = levels}));
    }
  }
}

TEST_P(EveryMethod, SeparatesUnsymmetricMatricesAfterMatching) {
  for (const char* kind : {"random", "cage"}) {
    const auto any = gallery::make_matrix(kind, {.n = std::string(kind) == "cage" ? 8 : 600});
    const auto& a = std::get<Csr<double>>(any);
    expect_separated(a, order(a, false, {.method = GetParam(), .tree_levels = 3}));
  }
}

TEST_P(EveryMethod, IsDeterministic) {
  const Csr<double> a = test::laplacian(test::pattern_of(1200, test::box_edges(40, 30, 1, true)));
  const OrderingOptions options{.method = GetParam(), .seed = 5};
  const Ordering first = order(a, true, options), second = order(a, true, options);
  EXPECT_EQ(first.col_new, second.col_new);
  EXPECT_EQ(first.tree.begin, second.tree.begin);
}

TEST(Ordering, TreeIsBalancedAndItsSeparatorsSmallOnAGrid) {
  const Csr<double> a = test::laplacian(test::pattern_of(2500, test::box_edges(50, 50, 1)));
  for (const Method method : {Method::metis, Method::scotch}) {
    const SeparatorTree tree = order(a, true, {.method = method, .tree_levels = 3}).tree;
    ASSERT_EQ(tree.levels, 3);
    EXPECT_LE(tree.end[1] - tree.begin[1], 70);
    for (Index leaf = 8; leaf < 16; ++leaf) {
      EXPECT_GT(tree.end[usize(leaf)] - tree.begin[usize(leaf)], 150);
      EXPECT_LT(tree.end[usize(leaf)] - tree.begin[usize(leaf)], 450);
    }
  }
}

// Of factoring in that order: entries of L below the diagonal.
Offset fill(const Csr<double>& a, const Ordering& o) {
  std::vector<std::set<Index>> column(usize(a.rows()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Index j : a.pattern.row(i)) {
      const auto [first, last] = std::minmax(o.row_new[usize(i)], o.col_new[usize(j)]);
      if (first != last) column[usize(first)].insert(last);
    }
  }
  Offset entries = 0;
  for (auto& rows : column) {
    entries += std::ssize(rows);
    if (rows.empty()) continue;
    const Index parent = *rows.begin();
    rows.erase(parent);
    column[usize(parent)].merge(rows);
  }
  return entries;
}

TEST(Ordering, MinimumDegreeFillsNothingWhereNothingNeedBe) {
  const Csr<double> chain = test::laplacian(test::pattern_of(3000, test::box_edges(3000, 1, 1)));
  for (const Method method : {Method::amd, Method::automatic}) {
    const Ordering o = order(chain, true, {.method = method});
    EXPECT_EQ(fill(chain, o), 2999);
    EXPECT_EQ(o.tree.levels, 0);
  }
}

TEST(Ordering, MinimumDegreeOrdersTheLeavesOfATreeThatIsNeeded) {
  const Csr<double> a = test::laplacian(test::pattern_of(2500, test::box_edges(50, 50, 1)));
  const Ordering o = order(a, true, {.method = Method::amd, .tree_levels = 6, .needed_levels = 2});
  EXPECT_EQ(o.tree.levels, 2);
  EXPECT_LE(o.tree.end[1] - o.tree.begin[1], 70);
  EXPECT_LT(fill(a, o), 1.1 * double(fill(a, order(a, true, {.tree_levels = 2}))));
}

// What is around a leaf counts in the degrees: of this cube four leaves have 5 % more fill than all as one,
// and without it 12 %.
TEST(Ordering, MinimumDegreeCountsTheSeparatorsAroundALeaf) {
  const Csr<double> cube = test::laplacian(test::pattern_of(2744, test::box_edges(14, 14, 14)));
  const auto fill_with_levels = [&](int needed) {
    return double(fill(cube, order(cube, true, {.method = Method::amd, .needed_levels = needed})));
  };
  EXPECT_LT(fill_with_levels(2), 1.08 * fill_with_levels(0));
}

// Each leaf as it costs less: of a square grid by minimum degree, of a cube by dissection.
TEST(Ordering, TheAutomaticOrderDissectsWhatIsWorthIt) {
  for (const int needed : {0, 2}) {
    const auto order_by = [&](const Csr<double>& a, Method method) {
      return order(a, true, {.method = method, .needed_levels = needed});
    };
    const Csr<double> square = test::laplacian(test::pattern_of(1600, test::box_edges(40, 40, 1)));
    EXPECT_EQ(order_by(square, Method::automatic).tree.levels, needed);
    EXPECT_EQ(order_by(square, Method::automatic).col_new, order_by(square, Method::amd).col_new);
    const Csr<double> cube = test::laplacian(test::pattern_of(13824, test::box_edges(24, 24, 24)));
    EXPECT_EQ(order_by(cube, Method::automatic).tree.levels, needed);
    const double fill_by_degree = double(fill(cube, order_by(cube, Method::amd)));
    EXPECT_LT(double(fill(cube, order_by(cube, Method::automatic))), 0.9 * fill_by_degree);
  }
}

TEST(Ordering, DealsOutWhatIsNotConnectedWithoutSeparators) {
  const Csr<double> a = test::laplacian(test::pattern_of(1024, {}));
  const SeparatorTree tree = order(a, true, {.tree_levels = 4}).tree;
  ASSERT_EQ(tree.levels, 4);
  for (Index t = 1; t < 16; ++t) EXPECT_EQ(tree.begin[usize(t)], tree.end[usize(t)]);
  for (Index t = 16; t < 32; ++t) EXPECT_EQ(tree.end[usize(t)] - tree.begin[usize(t)], 64);
}

TEST(Ordering, SmallMatricesGetFewerLevels) {
  const auto levels = [](Index n) {
    return order(test::laplacian(test::pattern_of(n, test::box_edges(n, 1, 1))), true, {}).tree.levels;
  };
  EXPECT_EQ(levels(1), 0);
  EXPECT_EQ(levels(63), 0);
  EXPECT_EQ(levels(64), 1);
  EXPECT_EQ(levels(256), 3);
  EXPECT_EQ(levels(100000), 6);
}

TEST(Ordering, HubsComeLast) {
  std::vector<test::Edge> edges = test::box_edges(40, 40, 1);
  for (Index i = 1; i < 1600; ++i) edges.emplace_back(0, i);
  const Ordering o = order(test::laplacian(test::pattern_of(1600, edges)), true, {});
  EXPECT_EQ(o.col_new[0], 1599);
}

TEST(Ordering, KeepsUnknownsOfOneNodeTogether) {
  std::vector<test::Edge> edges;
  for (const auto& [a, b] : test::box_edges(12, 12, 1)) {
    for (Index s = 0; s < 3; ++s) {
      for (Index t = 0; t < 3; ++t) {
        edges.emplace_back(a + 144 * s, b + 144 * t);  // numbered far apart
        edges.emplace_back(a + 144 * s, a + 144 * t);
        edges.emplace_back(b + 144 * s, b + 144 * t);
      }
    }
  }
  const Ordering o = order(test::laplacian(test::pattern_of(432, edges)), true, {});
  for (std::size_t v = 0; v < 144; ++v) {
    const auto [least, most] = std::minmax({o.col_new[v], o.col_new[v + 144], o.col_new[v + 288]});
    EXPECT_EQ(most - least, 2);
  }
}

TEST(Ordering, SymmetricMatricesKeepRowsAndColumnsTogetherAndGetAUnitLikeDiagonal) {
  Csr<double> a = test::laplacian(test::pattern_of(400, test::box_edges(20, 20, 1)));
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset p : a.pattern.entries(i)) {
      a.value[usize(p)] *= std::pow(10.0, (i % 60 - 30)) * std::pow(10.0, a.pattern.col[usize(p)] % 60 - 30);
    }
  }
  const Ordering o = order(a, true, {});
  EXPECT_EQ(o.row_new, o.col_new);
  EXPECT_EQ(o.row_scale, o.col_scale);
  const Csr<double> b =
      matrix::permuted_and_scaled<double>(a, o.row_new, o.col_new, o.row_scale, o.col_scale);
  EXPECT_TRUE(matrix::is_symmetric(b, false));
  for (Index i = 0; i < b.rows(); ++i) {
    for (const Offset p : b.pattern.entries(i)) {
      EXPECT_LE(std::abs(b.value[usize(p)]), 2.0);
      if (b.pattern.col[usize(p)] == i) EXPECT_GE(b.value[usize(p)], 0.5);
    }
  }
}

TEST(Ordering, EquilibratesWithoutMatching) {
  const auto any = gallery::make_matrix("random", {.n = 300});
  const auto& a = std::get<Csr<double>>(any);
  const Ordering o = order(a, false, {.matching = false});
  EXPECT_EQ(o.row_new, o.col_new);
  std::vector<double> largest(usize(a.cols()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset p : a.pattern.entries(i)) {
      const std::size_t j = usize(a.pattern.col[usize(p)]);
      largest[j] = std::max(largest[j], std::abs(o.row_scale[usize(i)] * a.value[usize(p)] * o.col_scale[j]));
    }
  }
  EXPECT_THAT(largest, testing::Each(testing::AllOf(testing::Ge(0.5), testing::Lt(1.0))));
}

TEST(Ordering, ScalesNothingWhenToldSo) {
  const auto any = gallery::make_matrix("random", {.n = 100});
  const Ordering o = order(std::get<Csr<double>>(any), false, {.equilibrate = false});
  EXPECT_THAT(o.row_scale, testing::Each(1.0));
  EXPECT_THAT(o.col_scale, testing::Each(1.0));
}

TEST(Ordering, ReportsProgressUpToOne) {
  struct Recorder : Observer {
    std::vector<double> fractions;
    void progress(std::string_view stage, double fraction) override {
      if (stage == "order") fractions.push_back(fraction);
    }
  } recorder;
  order(test::laplacian(test::pattern_of(900, test::box_edges(30, 30, 1))), true, {}, recorder);
  ASSERT_GT(recorder.fractions.size(), 4u);
  EXPECT_TRUE(std::is_sorted(recorder.fractions.begin(), recorder.fractions.end()));
  EXPECT_EQ(recorder.fractions.back(), 1.0);
}

template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorKind::usage, "");
}

Csr<double> dense(Index rows, Index cols, const std::vector<double>& value) {
  Csr<double> a{.pattern = {.rows = rows, .cols = cols, .row_ptr = {0}, .col = {}}, .value = value};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) a.pattern.col.push_back(j);
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.pattern.col.size()));
  }
  return a;
}

TEST(Ordering, RefusesWhatItCannotOrder) {
  EXPECT_EQ(error_of([] { order(dense(1, 2, {1, 2}), false, {}); }).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of([] { order(dense(1, 1, {1}), false, {.tree_levels = -1}); }).kind(), ErrorKind::usage);
  const Error nan = error_of([] { order(dense(2, 2, {1, 2, NAN, 4}), false, {}); });
  EXPECT_EQ(nan.kind(), ErrorKind::input);
  EXPECT_THAT(nan.what(), HasSubstr("row 1, column 0"));
}

TEST_P(EveryMethod, OrdersTheEmptyMatrix) {
  for (const bool symmetric : {false, true}) {
    const Ordering o = order(Csr<double>{}, symmetric, {.method = GetParam()});
    EXPECT_TRUE(o.col_new.empty());
    EXPECT_EQ(o.tree.end[1], 0);
  }
}

TEST(Ordering, NamesEmptyRowsAndColumnsAndExplicitZerosCountAsEmpty) {
  for (const bool symmetric : {false, true}) {
    const Error row = error_of([&] { order(dense(3, 3, {1, 2, 3, 0, 0, 0, 4, 5, 6}), symmetric, {}); });
    EXPECT_EQ(row.kind(), ErrorKind::numerical);
    EXPECT_THAT(row.what(), HasSubstr("row 1 "));
    const Error col = error_of([&] { order(dense(3, 3, {1, 2, 0, 3, 4, 0, 5, 6, 0}), symmetric, {}); });
    EXPECT_THAT(col.what(), HasSubstr("column 2 "));
  }
}

}  // namespace
}  // namespace trisweep::ordering
