#include "trisweep/distribution/front_owners.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gallery/gallery.hpp"
#include "support/structure.hpp"
#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::distribution {
namespace {

std::shared_ptr<const symbolic::Structure> structure_of(const std::string& kind, Index n,
                                                        ordering::Method method) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n}));
  return testing_support::structure_of(a, {.method = method}, {});
}

TEST(FrontOwners, EachRankHasItsPartInAnyOrder) {
  for (const auto method : {ordering::Method::amd, ordering::Method::metis}) {
    const auto s = structure_of("s2d9", 96, method);
    const numeric::FrontTree tree = numeric::build_front_tree(*s);
    for (const Index ranks : {1, 2, 3, 8}) {
      const FrontOwners owners(*s, ranks);
      std::vector<double> entries(usize(ranks), 0);
      for (Index k = 0; k < s->supernodes(); ++k)
        entries.at(usize(owners.of_supernode[usize(k)])) +=
            double(s->width(k)) * (s->width(k) + s->height(k));
      Index passed_on = 0;
      for (Index f = 0; f < tree.fronts(); ++f) {
        for (const Index k : tree.members(f))
          EXPECT_EQ(owners.of_supernode[usize(k)], owners.of_front[usize(f)]);
        const Index parent = tree.parent[usize(f)];
        passed_on += parent != -1 && owners.of_front[usize(parent)] != owners.of_front[usize(f)];
      }
      double all = 0;
      for (const double of_rank : entries) all += of_rank;
      EXPECT_LT(std::ranges::max(entries), 1.6 * all / ranks) << ranks;
      EXPECT_LE(passed_on, 16 * (ranks - 1));  // whole subtrees are on one rank
    }
  }
}

TEST(FrontOwners, SmallContributionsGoTogether) {
  const std::vector<Index> children{3, 4, 5, 6, 7};
  const std::vector<Index> height{0, 0, 0, 0, 1, 128, 2, 100};
  const auto all = groups(children, height);  // which 128 rows fill
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(std::ranges::equal(all[0], std::vector<Index>{3, 4, 5}));
  EXPECT_TRUE(std::ranges::equal(all[1], std::vector<Index>{6, 7}));
  EXPECT_TRUE(groups({}, height).empty());
  const std::vector<Index> many(100'000, 3);
  EXPECT_LT(groups(many, height).size(), 100U);
}

// Of both kinds of separators: supernodes, and such as are whole and cut while they are eliminated.
TEST(FrontOwners, ShareLargeFronts) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("poisson3d", {.n = 16}));
  for (const int whole_levels : {0, 3}) {
    const auto s = testing_support::structure_of(a, {}, {.whole_levels = whole_levels});
    const numeric::FrontTree tree = numeric::build_front_tree(*s);
    for (const Index ranks : {2, 4, 7}) {
      const FrontOwners owners(*s, ranks, numeric::Kind::lu);
      EXPECT_GE(owners.shared.size(), 1U);
      std::vector<double> entries(usize(ranks), 0);
      for (Index k = 0; k < s->supernodes(); ++k)
        entries.at(usize(owners.of_supernode[usize(k)])) +=
            double(s->width(k)) * (s->width(k) + 2.0 * s->height(k));
      double all = 0;
      for (const double of_rank : entries) all += of_rank;
      Offset largest = 0;
      for (Index k = 0; k < s->supernodes(); ++k)
        largest = std::max(largest, Offset{s->width(k)} * (s->width(k) + 2 * s->height(k)));
      EXPECT_LT(std::ranges::max(entries), 1.5 * all / ranks + double(largest)) << ranks;
      for (Index f = 0; f < tree.fronts(); ++f) {
        EXPECT_EQ(owners.of_front[usize(f)] == -1, owners.shared.contains(f));
        for (Index r = 0; r < ranks; ++r) {
          EXPECT_EQ(owners.assembled_by(r)[usize(f)] != 0,
                    owners.shared.contains(f) || owners.of_front[usize(f)] == r);
        }
        if (!owners.shared.contains(f)) continue;
        const SharedFront& front = owners.shared.at(f);
        const auto sharers = front.arrowheads.owners();
        EXPECT_GT(sharers.size(), 1U);
        EXPECT_EQ(front.arrowheads.rows(), tree.width[usize(f)] + tree.height[usize(f)]);
        EXPECT_EQ(front.contribution().rows(), tree.height[usize(f)]);
        Index position = 0;
        for (const Index k : tree.members(f)) {
          EXPECT_TRUE(std::ranges::binary_search(sharers, owners.of_supernode[usize(k)]));
          for (Index j = s->first[usize(k)]; j < s->first[usize(k) + 1]; ++j, ++position) {
            const auto arrowhead = usize(front.arrowheads.of(position));
            EXPECT_EQ(front.supernode[arrowhead], k);
            EXPECT_EQ(front.arrowheads.owner[arrowhead], owners.of_column[usize(j)]);
          }
        }
        EXPECT_EQ(position, front.arrowheads.begin[usize(front.eliminated())]);
      }
    }
    // Nothing is cut that has pivots of order 2 across.
    const FrontOwners indefinite(*s, 4, numeric::Kind::ldlt);
    for (const auto& [f, front] : indefinite.shared)
      EXPECT_EQ(front.eliminated(), std::ssize(tree.members(f)));
    EXPECT_TRUE(FrontOwners(*s, 4).shared.empty());
  }
}

// Fronts have fewer rows than all ranks could share, and many have few columns to eliminate.
TEST(FrontOwners, OfManyRanksHaveHardlyMoreThanTheLargestSupernode) {
  const auto s = structure_of("poisson3d", 24, ordering::Method::metis);
  for (const Index ranks : {8, 16, 32, 64, 128}) {
    const FrontOwners owners(*s, ranks, numeric::Kind::lu);
    std::vector<double> entries(usize(ranks), 0);
    double all = 0, largest = 0;
    for (Index k = 0; k < s->supernodes(); ++k) {
      const double of_supernode = double(s->width(k)) * (s->width(k) + 2.0 * s->height(k));
      entries.at(usize(owners.of_supernode[usize(k)])) += of_supernode;
      all += of_supernode;
      largest = std::max(largest, of_supernode);
    }
    EXPECT_LT(std::ranges::max(entries), 1.2 * (all / ranks + largest))
        << ranks << ' ' << all / ranks << ' ' << largest;
  }
}

// Children come before their parents, and no front of one subtree after the root of another as deep.
TEST(FrontOwners, ComeToTheDeepestFrontsFirst) {
  const auto s = structure_of("s2d9", 96, ordering::Method::metis);
  const numeric::FrontTree tree = numeric::build_front_tree(*s);
  const FrontOwners owners(*s, 8, numeric::Kind::lu);
  ASSERT_EQ(std::ssize(owners.order), tree.fronts());
  std::vector<Index> place(owners.order.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[usize(owners.order[i])] = static_cast<Index>(i);
  for (Index f = 0; f < tree.fronts(); ++f) {
    for (const Index c : tree.children(f)) EXPECT_LT(place[usize(c)], place[usize(f)]);
    for (const Index c : tree.children(tree.fronts() - 1)) {
      if (tree.depth[usize(f)] > tree.depth[usize(c)]) EXPECT_LT(place[usize(f)], place[usize(c)]);
    }
  }
}

TEST(FrontOwners, OfMoreRanksThanFrontsAndOfManyRoots) {
  const auto few = structure_of("tridiagonal", 4, ordering::Method::natural);
  const FrontOwners of_few(*few, 16);
  for (const Index rank : of_few.of_front) EXPECT_TRUE(rank >= 0 && rank < 16);
  const auto many = structure_of("block-diagonal", 64, ordering::Method::natural);
  const FrontOwners of_many(*many, 4);
  for (Index rank = 0; rank < 4; ++rank) EXPECT_TRUE(std::ranges::count(of_many.of_front, rank) > 0) << rank;
}

}  // namespace
}  // namespace trisweep::distribution
