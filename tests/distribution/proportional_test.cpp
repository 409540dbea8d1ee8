#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "gallery/gallery.hpp"
#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::distribution {
namespace {

symbolic::Structure square_mesh(Index n, int levels) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = n}));
  const auto order = ordering::order(a, true, {.tree_levels = levels});
  const auto pattern = matrix::symmetrized(matrix::permuted(a.pattern, order.row_new, order.col_new));
  return *symbolic::analyze(pattern, order.tree, {.max_width = 8}).structure;
}

// What each rank reads in a solve.
std::vector<double> entries_of_ranks(const symbolic::Structure& s, Index ranks) {
  const auto mapping = proportional(s, {ranks, 1, 1});
  std::vector<double> entries;
  for (const LocalBlocks& local_blocks : make_all_local_blocks(s, *mapping, 0)) {
    double sum = 0;
    for (const Side side : sides) sum += double(local_blocks.side(side).value_ptr.back());
    entries.push_back(sum);
  }
  return entries;
}

double unevenness(const std::vector<double>& entries) {
  const double mean = std::accumulate(entries.begin(), entries.end(), 0.0) / double(entries.size());
  return *std::max_element(entries.begin(), entries.end()) / mean;
}

TEST(Proportional, EveryNumberOfRanksGetsEqualPartsOfAFineTree) {
  const auto fine = square_mesh(96, 7);
  for (const Index ranks : {2, 3, 5, 6, 7, 8, 13})
    EXPECT_LT(unevenness(entries_of_ranks(fine, ranks)), 1.15) << ranks;
}

// Half a leaf cannot be moved to another rank.
TEST(Proportional, ACoarseTreeIsDividedBetweenRanks) {
  const auto coarse = square_mesh(96, 2);
  const auto mapping = proportional(coarse, {4, 1, 1});
  for (Index leaf = 4; leaf < 8; ++leaf) {
    for (Index k = coarse.tree.begin[usize(leaf)]; k < coarse.tree.end[usize(leaf)]; ++k)
      EXPECT_EQ(mapping->home(k), leaf - 4);
  }
}

// The rows above a separator that its panels have, by the ranks that share it: each has about as many
// entries.
TEST(Proportional, RowsOfPanelsAreDealtOutEvenly) {
  const auto s = square_mesh(160, 3);
  const auto mapping = proportional(s, {16, 1, 1});
  int shared = 0;
  for (Index t = 2; t < 8; ++t) {
    std::map<Index, double> entries;
    for (Index k = s.tree.begin[usize(t)]; k < s.tree.end[usize(t)]; ++k) {
      for (const auto& block : s.blocks(k)) {
        double& mine = entries[mapping->owner(0, Side::lower, block.row_supernode, k)];
        if (block.row_supernode >= s.tree.end[usize(t)]) mine += double(block.end - block.begin) * s.width(k);
      }
    }
    if (entries.size() < 2) continue;
    ++shared;
    std::vector<double> by_rank;
    for (const auto& [rank, size] : entries) by_rank.push_back(size);
    EXPECT_LT(unevenness(by_rank), 1.6) << "node " << t << " on " << by_rank.size() << " ranks";
  }
  EXPECT_GT(shared, 0) << "no separator is shared: nothing was tested";
}

// SC'23 section 2.2: U(K, I) lies where the transposed L(I, K) would.
TEST(BlockCyclic, BlocksOfULieOnTheTransposedGrid) {
  const auto s = square_mesh(16, 1);
  const auto mapping = block_cyclic(s, {2, 3, 1});
  const ProcessGrid grid{2, 3, 1};
  for (Index k = 0; k < 5; ++k) {
    for (Index i = k; i < 5; ++i) {
      EXPECT_EQ(mapping->owner(0, Side::lower, i, k), grid.rank({i % 2, k % 3, 0}));
      EXPECT_EQ(mapping->owner(0, Side::upper, i, k), grid.rank({k % 2, i % 3, 0}));
    }
  }
}

}  // namespace
}  // namespace trisweep::distribution
