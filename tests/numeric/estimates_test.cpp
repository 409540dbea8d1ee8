#include "trisweep/numeric/estimates.hpp"

#include <gtest/gtest.h>

#include "numeric/support.hpp"
#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::numeric {
namespace {

TEST(Estimates, OfADenseMatrixAreTheTextbooks) {
  const Index n = 60;
  const auto a = testing::random_matrix<double>({.n = n, .density = 1.0});
  for (const std::vector<Index>& first : {std::vector<Index>{0, n}, std::vector<Index>{0, 10, 45, n}}) {
    const auto s = testing::structure_of(a.pattern, first);
    const Estimates lu = estimate(*s, Kind::lu, sizeof(double));
    EXPECT_EQ(lu.nonzeros_l, n * (n + 1) / 2);
    EXPECT_EQ(lu.nonzeros_u, n * (n + 1) / 2);
    EXPECT_NEAR(lu.flops, 2.0 / 3.0 * n * n * n, 1e-6);
    const Estimates cholesky = estimate(*s, Kind::cholesky, sizeof(double));
    EXPECT_EQ(cholesky.nonzeros_u, 0);
    EXPECT_NEAR(cholesky.flops, 1.0 / 3.0 * n * n * n, 1e-6);
  }
}

TEST(Estimates, OfInversesGrowWithTheWidthOfTheDiagonalBlocks) {
  const Index n = 60;
  const auto a = testing::random_matrix<double>({.n = n, .density = 1.0});
  const auto of = [&](const std::vector<Index>& first, Kind kind) {
    return estimate(*testing::structure_of(a.pattern, first), kind, sizeof(double)).inversion_flops;
  };
  EXPECT_NEAR(of({0, n}, Kind::lu), 4.0 / 3.0 * n * n * n, 1e-6);
  EXPECT_NEAR(of({0, n}, Kind::cholesky), 2.0 / 3.0 * n * n * n, 1e-6);
  // Two blocks of 30, and a panel of 30 x 30 on each side.
  EXPECT_NEAR(of({0, 30, n}, Kind::lu), (2 * 4.0 / 3.0 + 2) * 30 * 30 * 30, 1e-6);
}

TEST(Estimates, PredictTheBytesOfTheFactors) {
  const auto a = testing::random_definite_matrix<Single<double>>({.n = 100, .density = 0.03});
  const auto s = testing::random_structure(a.pattern, 8);
  for (const Kind kind : {Kind::lu, Kind::cholesky}) {
    EXPECT_EQ(estimate(*s, kind, sizeof(Single<double>)).factor_bytes, factor(a, s, kind, {})->bytes());
  }
}

TEST(Estimates, ThreadsAreUsefulForWorkThatTakesLongerThanToStartThem) {
  const auto small = testing::random_matrix<double>({.n = 60, .density = 1.0});
  EXPECT_EQ(useful_threads(*testing::structure_of(small.pattern, {0, 60}), Kind::lu, 16), 1);
  matrix::Pattern large{.rows = 800, .cols = 800};  // two dense blocks
  for (Index i = 0; i < large.rows; ++i) {
    for (Index j = i / 400 * 400; j < i / 400 * 400 + 400; ++j) large.col.push_back(j);
    large.row_ptr.push_back(std::ssize(large.col));
  }
  EXPECT_EQ(useful_threads(*testing::structure_of(large, {0, 400, 800}), Kind::lu, 16), 16);
  EXPECT_EQ(useful_threads(*testing::structure_of(large, {0, 400, 800}), Kind::lu, 1), 1);
}

// A tridiagonal matrix from one end to the other, and from both ends to the middle.
TEST(Estimates, ThreadsAreUsefulForWorkThatIsNotOnOnePath) {
  constexpr Index n = 100'000;
  symbolic::Structure path{.n = n, .first = {0}, .parent = {}, .row_ptr = {0}};
  for (Index k = 0; k < n; ++k) {
    path.first.push_back(k + 1);
    path.parent.push_back(k + 1 < n ? k + 1 : -1);
    path.row_ptr.push_back(path.row_ptr.back() + (k + 1 < n ? 1 : 0));
  }
  EXPECT_EQ(useful_threads(path, Kind::lu, 4), 1);
  symbolic::Structure both = path;
  both.parent[n / 2] = n - 1;
  EXPECT_EQ(useful_threads(both, Kind::lu, 4), 4);
}

TEST(FrontTree, IsAPostorderOfEverySupernodeWithAnExactStackPeak) {
  const auto a = testing::random_matrix<double>({.n = 300, .density = 0.004, .seed = 9});
  const auto s = testing::random_structure(a.pattern, 5);
  const FrontTree t = build_front_tree(*s);
  std::vector<Index> members = t.member;
  std::ranges::sort(members);
  ASSERT_EQ(members.size(), usize(s->supernodes()));
  for (Index k = 0; k < s->supernodes(); ++k) EXPECT_EQ(members[usize(k)], k);

  // Replay of the traversal: a front's block is placed before its children's are dropped.
  Offset alive = 0, peak = 0;
  for (Index f = 0; f < t.fronts(); ++f) {
    peak = std::max(peak, alive += contribution_entries(t.height[usize(f)]));
    for (Index c : t.children(f)) {
      EXPECT_EQ(t.parent[usize(c)], f);
      EXPECT_LT(c, f);
      alive -= contribution_entries(t.height[usize(c)]);
    }
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(peak, *std::ranges::max_element(t.stack));
}

TEST(FrontTree, ChainsOnlyWideSupernodesWithTheSameRows) {
  const auto a = testing::random_matrix<double>({.n = 150, .density = 1.0});
  EXPECT_EQ(build_front_tree(*testing::structure_of(a.pattern, {0, 50, 100, 150})).fronts(), 1);
  EXPECT_EQ(build_front_tree(*testing::structure_of(a.pattern, {0, 70, 75, 150})).fronts(), 3);
}

}  // namespace
}  // namespace trisweep::numeric
