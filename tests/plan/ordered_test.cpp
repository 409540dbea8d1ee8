// What several threads can do at a time in an ordered sweep.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/structure.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::plan {
namespace {

// Calls visit(work row) for what a task of a scatter sweep adds to.
template <class Visit>
void for_each_target(const SweepPhase& sweep, const Task& task, const std::vector<Index>& of_pieces,
                     const Visit& visit) {
  const std::vector<Index>& position = sweep.position.empty() ? of_pieces : sweep.position;
  for (Index i = task.row_block_begin; i < task.row_block_end; ++i) {
    const RowBlock& row_block = sweep.row_block[usize(i)];
    for (Index r = 0; r < row_block.row_end - row_block.row_begin; ++r)
      visit(position[usize(row_block.position + r)]);
  }
}

TEST(OrderedSweep, NoTwoTasksScatterToTheSameRow) {
  const auto& mapping = distribution::find_mapping("block-cyclic");
  for (const int whole_levels : {0, 2}) {
    const auto whole = std::make_shared<const symbolic::Structure>(
        testing_support::random_structure(120, 2, 8, whole_levels));
    for (const distribution::ProcessGrid grid : {distribution::ProcessGrid{1, 1, 1}, {2, 1, 1}, {2, 2, 1}}) {
      const auto structure = distribution::in_tiles(whole, mapping, grid, {.width = 3, .least = 1});
      const auto owners = mapping.make(*structure, grid);
      for (const auto& [share, plan] :
           make_all_plans(*structure, *owners, single_sync, {}, {.ordered = true, .grain = 40})) {
        const auto& sweep = std::get<SweepPhase>(plan.phase.front());
        const auto positions = distribution::piece_positions(*structure, share);
        std::map<Index, Index> task_of_row;
        for (Index t = 0; t < static_cast<Index>(sweep.task.size()); ++t) {
          if (sweep.task[usize(t)].diagonal) continue;
          for_each_target(sweep, sweep.task[usize(t)], positions.side(sweep.side), [&](Index row) {
            EXPECT_EQ(task_of_row.try_emplace(row, t).first->second, t)
                << grid.name() << " whole levels " << whole_levels << " rank " << share.rank << " row "
                << row;
          });
        }
        EXPECT_GT(sweep.task.size(), 1u);
      }
    }
  }
}

// Of a segment with n contributions the last of a group adds about sqrt(n), and the last one of all those of
// groups and the latest sqrt(n), which wait for no group.
TEST(OrderedSweep, AddsManyContributionsInGroups) {
  const auto structure =
      std::make_shared<const symbolic::Structure>(testing_support::random_structure(400, 2, 8, 0));
  const auto owners = distribution::find_mapping("block-cyclic").make(*structure, {1, 1, 1});
  const auto plans = make_all_plans(*structure, *owners, single_sync, {}, {.ordered = true, .grain = 40});
  const auto& sweep = std::get<SweepPhase>(plans.front().plan.phase.front());
  std::map<SegmentId, Index> contributions, longest_group;
  Index most = 0;
  for (SegmentId s; s < sweep.segment.end_key(); ++s) {
    const Segment& segment = sweep.segment[s];
    const Index cells = segment.cell_end - segment.cell_begin;
    if (segment.next == no_segment) {
      contributions[s] += cells;
    } else {
      contributions[segment.next] += cells;
      longest_group[segment.next] = std::max(longest_group[segment.next], cells);
    }
  }
  for (const auto& [s, count] : contributions) {
    const Segment& segment = sweep.segment[s];
    const double root = std::ceil(std::sqrt(count));
    if (count >= 16) {
      EXPECT_LE(longest_group[s], root) << "supernode " << segment.supernode;
      EXPECT_LE(segment.cell_end - segment.cell_begin, 2 * root) << "supernode " << segment.supernode;
    }
    most = std::max(most, count);
  }
  EXPECT_GE(most, 25) << "no segment of this structure has many contributions";
}

}  // namespace
}  // namespace trisweep::plan
