#include "trisweep/solve/front_owners.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gallery/gallery.hpp"
#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {
namespace {

std::shared_ptr<const symbolic::Structure> structure_of(const std::string& kind, Index n,
                                                        ordering::Method method) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n}));
  return analyze(a, {.ordering = {.method = method}, .symbolic = {}}).structure;
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

TEST(FrontOwners, OfMoreRanksThanFrontsAndOfManyRoots) {
  const auto few = structure_of("tridiagonal", 4, ordering::Method::natural);
  const FrontOwners of_few(*few, 16);
  for (const Index rank : of_few.of_front) EXPECT_TRUE(rank >= 0 && rank < 16);
  const auto many = structure_of("block-diagonal", 64, ordering::Method::natural);
  const FrontOwners of_many(*many, 4);
  for (Index rank = 0; rank < 4; ++rank) EXPECT_TRUE(std::ranges::count(of_many.of_front, rank) > 0) << rank;
}

}  // namespace
}  // namespace trisweep::solve
