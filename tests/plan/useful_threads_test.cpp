#include "trisweep/plan/useful_threads.hpp"

#include <gtest/gtest.h>

#include "trisweep/plan/grain.hpp"

namespace trisweep::plan {
namespace {

// Supernodes of one width whose panels have that many rows, by their parents.
symbolic::Structure structure_of(const std::vector<Index>& parent, Index width, Index height) {
  symbolic::Structure s{.first = {0}, .parent = parent, .row_ptr = {0}};
  for (std::size_t k = 0; k < parent.size(); ++k) {
    s.first.push_back(s.first.back() + width);
    s.row_ptr.push_back(s.row_ptr.back() + (parent[k] < 0 ? 0 : height));
  }
  s.n = s.first.back();
  return s;
}

std::vector<Index> binary_tree(Index levels) {
  std::vector<Index> parent;
  Index begin = 0;
  for (Index on_level = 1 << (levels - 1); on_level > 0; begin += on_level, on_level /= 2)
    for (Index i = 0; i < on_level; ++i) parent.push_back(on_level == 1 ? -1 : begin + on_level + i / 2);
  return parent;
}

std::vector<Index> chain(Index length) {
  std::vector<Index> parent;
  for (Index k = 1; k < length; ++k) parent.push_back(k);
  parent.push_back(-1);
  return parent;
}

std::vector<Index> leaves_of_one(Index leaves) {
  std::vector<Index> parent(usize(leaves), leaves);
  parent.push_back(-1);
  return parent;
}

TEST(UsefulThreads, ShareTreesOfManyPanels) {
  const auto large = structure_of(binary_tree(12), 32, 64);  // 12 million entries
  EXPECT_EQ(useful_threads(large, 1, 1, 16), 16);
  EXPECT_EQ(useful_threads(large, 1, 1, 1), 1);
  EXPECT_EQ(useful_threads(large, 4, 1, 16), 11);           // 4 grains for each
  const auto small = structure_of(binary_tree(6), 32, 64);  // 194,000
  EXPECT_EQ(useful_threads(small, 1, 1, 16), 1);
  EXPECT_EQ(useful_threads(small, 1, 50, 2), 2);
}

TEST(UsefulThreads, ShareTheRowsOfLargePanels) {
  EXPECT_EQ(useful_threads(structure_of(chain(16), 256, 4096), 1, 1, 4), 4);
}

TEST(UsefulThreads, DoNotShareChainsAndForestsOfSmallSupernodes) {
  EXPECT_EQ(useful_threads(structure_of(chain(1'000'000), 1, 1), 1, 1, 16), 1);
  std::vector<Index> long_and_short = chain(2'000);
  for (const Index up : chain(10'000)) long_and_short.push_back(up < 0 ? up : up + 2'000);
  EXPECT_EQ(useful_threads(structure_of(long_and_short, 32, 32), 1, 1, 16), 1);
  EXPECT_EQ(useful_threads(structure_of(leaves_of_one(1'000'000), 1, 1), 1, 1, 2), 1);
  EXPECT_EQ(useful_threads(structure_of(std::vector<Index>(1'000'000, -1), 1, 1), 1, 1, 2), 2);
}

TEST(TaskGrain, IsWholeTreesWhereTasksCostMoreThanTheirPanels) {
  EXPECT_EQ(task_grain(structure_of(chain(1'000'000), 1, 1)), grain_of_trees);
  EXPECT_EQ(task_grain(structure_of(leaves_of_one(1'000'000), 1, 1)), grain_of_trees);
  EXPECT_EQ(task_grain(structure_of(binary_tree(12), 32, 64)), grain_of_threads);
  EXPECT_EQ(task_grain(structure_of(chain(16), 256, 4096)), grain_of_threads);
  EXPECT_EQ(task_grain(structure_of(std::vector<Index>(1'000'000, -1), 1, 1)), grain_of_threads);
}

}  // namespace
}  // namespace trisweep::plan
