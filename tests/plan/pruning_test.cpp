// Pruned plans read the panels of the sets that they are for, and no others.

#include "trisweep/plan/pruning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gallery/gallery.hpp"
#include "support/structure.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::plan {
namespace {

using distribution::ProcessGrid;

SupernodeSet reach_of(const symbolic::Structure& s, std::initializer_list<Index> start) {
  std::vector<char> members(usize(s.supernodes()));
  for (const Index k : start) members[usize(k)] = 1;
  return reach(s, std::move(members));
}

TEST(Pruning, ReachesTheAncestorsInTheEliminationTree) {
  const auto s = testing_support::random_structure(200, 3);
  for (Index start = 0; start < s.supernodes(); start += 7) {
    std::vector<char> path(usize(s.supernodes()));
    for (Index k = start; k >= 0; k = s.parent[usize(k)]) path[usize(k)] = 1;
    const SupernodeSet reached = reach_of(s, {start});
    for (Index k = 0; k < s.supernodes(); ++k) {
      // A panel need not have rows in each of its ancestors' panels, but in none that is not an ancestor.
      if (reached.contains(k)) EXPECT_TRUE(path[usize(k)]) << start << " reaches " << k;
    }
    if (s.parent[usize(start)] >= 0) EXPECT_TRUE(reached.contains(s.parent[usize(start)]));
  }
}

TEST(Pruning, TilesOfAGroupAreReachedTogether) {
  const auto s = symbolic::tiled(testing_support::random_structure(200, 3, 1, 2), [](Index) { return 3; });
  Index tiles = 0;
  for (Index start = 0; start < s.supernodes(); ++start) {
    const SupernodeSet reached = reach_of(s, {start});
    for (Index k = 0; k < s.supernodes(); ++k) {
      const auto [first, last] = s.group_of(k);
      for (Index i = first; i < last; ++i) EXPECT_EQ(reached.contains(i), reached.contains(k));
      tiles += s.is_tile(k);
    }
  }
  EXPECT_GT(tiles, 0);
}

// Of a plan for one rank, from the structure alone.
Offset expected_entries(const symbolic::Structure& s, const Pruning& pruning) {
  Offset sum = 0;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Offset width = s.width(k), panel = s.height(k) * width;
    const bool forward = pruning.forward.contains(k), backward = pruning.backward.contains(k);
    sum += (forward + backward) * panel + (forward && backward) * width * width;
  }
  return sum;
}

// Diagonal blocks that a forward sweep multiplies by while it waits are read where x is not asked for, too.
TEST(Pruning, PlansReadThePanelsOfTheirSets) {
  const auto s = testing_support::random_structure(300, 3, 5);
  const Pruning pruning{reach_of(s, {0, 11}), reach_of(s, {4})};
  for (const ProcessGrid grid : {ProcessGrid{1, 1, 1}, {2, 3, 1}}) {
    const auto mapping = distribution::block_cyclic(s, grid);
    for (const auto& schedule : schedules()) {
      for (const Op op : {Op::none, Op::transpose}) {
        for (const Pruning& p : {pruning, Pruning{pruning.forward, {}}, Pruning{{}, pruning.backward}}) {
          Offset entries = 0, unused = 0;
          for (const RankPlan& rank :
               make_all_plans(s, *mapping, schedule.choice, {.op = op, .pruning = p})) {
            entries += panel_entries(rank.plan);
            for (const Phase& phase : rank.plan.phase) {
              const auto* sweep = std::get_if<SweepPhase>(&phase);
              if (!sweep) continue;
              for (const Task& task : sweep->task)
                for (Index i = task.row_block_begin; task.diagonal && i < task.row_block_end; ++i) {
                  const RowBlock& r = sweep->row_block[usize(i)];
                  const Index k = rank.local_blocks.diagonal.supernode[usize(r.piece)];
                  if (!p.backward.contains(k)) unused += Offset{r.width} * r.width;
                }
            }
          }
          EXPECT_EQ(entries - unused, expected_entries(s, p)) << schedule.name << " on " << grid.name();
          EXPECT_LT(entries, expected_entries(s, {}));
        }
      }
    }
  }
}

TEST(Pruning, OfAllSupernodesIsTheWholePlan) {
  const auto s = testing_support::random_structure(150, 3, 2, 2);
  const SupernodeSet all(std::vector<char>(usize(s.supernodes()), 1));
  for (const ProcessGrid grid : {ProcessGrid{1, 1, 1}, {2, 1, 2}, {3, 2, 2}}) {
    const auto mapping = distribution::block_cyclic(s, grid);
    for (const auto& schedule : schedules()) {
      const auto whole = make_all_plans(s, *mapping, schedule.choice, {});
      const auto pruned = make_all_plans(s, *mapping, schedule.choice, {.pruning = {all, all}});
      for (std::size_t r = 0; r < whole.size(); ++r) EXPECT_EQ(whole[r].plan, pruned[r].plan);
    }
  }
}

// A grid of 4 x 5 x 5 sources in a box, each solved for at the others.
TEST(Pruning, PointSourcesReadLessThanHalfOfTheFactors) {
  constexpr Index n = 16;
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("poisson3d", {.n = n}));
  const auto order = ordering::order(a, false, {.tree_levels = 3});
  const auto pattern = matrix::symmetrized(matrix::permuted(a.pattern, order.row_new, order.col_new));
  const auto analysis = symbolic::analyze(pattern, order.tree, {});
  const auto& s = *analysis.structure;
  const auto mapping = distribution::block_cyclic(s, {1, 1, 1});
  const auto entries = [&](const Pruning& pruning) {
    return double(panel_entries(make_all_plans(s, *mapping, single_sync, {.pruning = pruning})[0].plan));
  };
  double sum = 0;
  Index sources = 0;
  for (Index z = 2; z < n; z += 4)
    for (Index y = 1; y < n; y += 3)
      for (Index x = 1; x < n; x += 3, ++sources) {
        const Index ordered = order.row_new[usize((z * n + y) * n + x)];
        const SupernodeSet reached =
            reach_of(s, {s.supernode_of[usize(analysis.new_of_ordered[usize(ordered)])]});
        sum += entries({reached, reached});
      }
  EXPECT_EQ(sources, 100);
  EXPECT_LE(sum / sources, 0.5 * entries({}));
}

}  // namespace
}  // namespace trisweep::plan
