// What a solve reads of the factors, counted in the plan: at one right-hand side that is its floor, so a plan
// that reads anything twice is slower, however fast its products are.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "support/structure.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::plan {
namespace {

using distribution::LocalBlocks;
using distribution::ProcessGrid;
using distribution::Side;

// How often a plan reads each row of each piece of a side, by LocalSide::row_ptr.
class Reads {
 public:
  Reads(const LocalBlocks& local_blocks, const Plan& plan) : local_blocks_(local_blocks) {
    for (const Side side : distribution::sides)
      times_[side].resize(usize(local_blocks.side(side).row_ptr.back()));
    for (const Phase& phase : plan.phase) {
      if (const auto* sweep = std::get_if<SweepPhase>(&phase)) add(*sweep);
      if (const auto* diagonal = std::get_if<DiagonalPhase>(&phase)) add(*diagonal);
    }
  }

  const std::vector<int>& of(Side side) const { return times_.at(side); }
  // The panel entries in them.
  Offset entries(Side side) const {
    Offset sum = 0;
    const auto& part = local_blocks_.side(side);
    for (Index p = 0; p < part.pieces(); ++p) {
      for (Offset row = part.row_ptr[usize(p)]; row < part.row_ptr[usize(p) + 1]; ++row)
        sum += Offset{times_.at(side)[usize(row)]} * local_blocks_.width(part.segment[usize(p)]);
    }
    return sum;
  }

 private:
  void add(const SweepPhase& phase) {
    for (const Task& task : phase.task) {
      for (Index i = task.row_block_begin; i < task.row_block_end; ++i)
        add(task.diagonal ? Side::diagonal : phase.side, phase.row_block[usize(i)]);
    }
  }
  void add(const DiagonalPhase& phase) {
    for (const RowBlock& row_block : phase.row_block) add(Side::diagonal, row_block);
  }
  void add(Side side, const RowBlock& row_block) {
    const auto& part = local_blocks_.side(side);
    EXPECT_EQ(row_block.value, part.value_ptr[usize(row_block.piece)]);
    EXPECT_EQ(row_block.height, part.height(row_block.piece));
    EXPECT_EQ(row_block.width, local_blocks_.width(part.segment[usize(row_block.piece)]));
    add(side, row_block.piece, row_block.row_begin, row_block.row_end);
  }
  void add(Side side, Index piece, Index begin, Index end) {
    const Offset first = local_blocks_.side(side).row_ptr[usize(piece)];
    for (Offset row = first + begin; row < first + end; ++row) ++times_[side].at(usize(row));
  }

  const LocalBlocks& local_blocks_;
  std::map<Side, std::vector<int>> times_;
};

// Of a side, in one solve: Cholesky keeps no upper panels, and both of its sweeps read the lower ones.
int times_read(Side side, bool cholesky) {
  if (side == Side::diagonal || !cholesky) return 1;
  return side == Side::lower ? 2 : 0;
}

// The top separator is dealt out to all ranks by its columns, though all that is below it is on rank 0: only
// rank 0 has to do with its own tiles of it. Proportional mapping comes to that when it evens out loads.
class NothingBelow final : public distribution::Mapping {
 public:
  NothingBelow(const symbolic::Structure& s, const ProcessGrid& grid)
      : ranks_(grid.ranks()), first_(s.tree.begin[1]) {}
  static std::unique_ptr<Mapping> make(const symbolic::Structure& s, const ProcessGrid& grid) {
    return std::make_unique<NothingBelow>(s, grid);
  }
  static std::vector<Index> sides(const symbolic::Structure& s, const ProcessGrid& grid) {
    std::vector<Index> sides(usize(s.tree.nodes()), 1);
    sides[1] = grid.ranks();
    return sides;
  }

  Index ranks() const override { return ranks_; }
  Index layers() const override { return 1; }
  Index layer_of_rank(Index) const override { return 0; }
  distribution::LayerRange layers_of(Index) const override { return {0, 1}; }
  Index owner(Index, Side, Index, Index k) const override { return k < first_ ? 0 : (k - first_) % ranks_; }

 private:
  Index ranks_;
  Index first_;
};

std::vector<distribution::NamedMapping> all_mappings() {
  const auto known = distribution::mappings();
  std::vector<distribution::NamedMapping> list(known.begin(), known.end());
  list.push_back({"nothing-below", NothingBelow::make, NothingBelow::sides});
  return list;
}

// Calls check(mapping, spec, accumulation, name) for whatever may decide what a plan reads.
template <class Check>
void for_each_plan(const symbolic::Structure& whole, const ProcessGrid& grid, Check&& check) {
  for (const auto& named : all_mappings()) {
    const auto s = distribution::in_tiles(std::make_shared<const symbolic::Structure>(whole), named, grid,
                                          {.width = 3, .least = 1});
    const auto mapping = named.make(*s, grid);
    for (const bool cholesky : {false, true}) {
      for (const Op op : {Op::none, Op::transpose}) {
        for (const bool ordered : {false, true}) {
          const std::string name = fmt::format("{} {} {} {}{}", grid.name(), named.name, char(op),
                                               cholesky ? "Cholesky" : "LU", ordered ? " ordered" : "");
          check(*s, *mapping, PlanSpec{.op = op, .upper_is_lower = cholesky},
                Accumulation{.ordered = ordered, .grain = 40}, name);
        }
      }
    }
  }
}

constexpr ProcessGrid grids[] = {{1, 1, 1}, {2, 3, 1}, {1, 1, 4}, {3, 2, 2}};

TEST(Reads, EveryRankReadsAllOfItsFactorsOncePerUse) {
  for (const int whole_levels : {0, 2}) {
    const auto whole = testing_support::random_structure(250, 3, 4, whole_levels);
    for (const ProcessGrid& grid : grids) {
      for_each_plan(whole, grid,
                    [](const symbolic::Structure& s, const distribution::Mapping& mapping,
                       const PlanSpec& spec, const Accumulation& accumulation, const std::string& name) {
                      for (const auto& [local_blocks, plan] :
                           make_all_plans(s, mapping, single_sync, spec, accumulation)) {
                        const Reads reads(local_blocks, plan);
                        for (const Side side : distribution::sides) {
                          const int times = times_read(side, spec.upper_is_lower);
                          EXPECT_EQ(reads.of(side), std::vector<int>(reads.of(side).size(), times))
                              << name << ", rank " << local_blocks.rank << ", side " << int(side);
                        }
                      }
                    });
    }
  }
}

// With level-sync, layers that are idle read nothing of the separators they hold: all ranks together read the
// factors as if there were one of them.
TEST(Reads, LevelSyncReadsNoPanelInTwoLayers) {
  const auto whole = testing_support::random_structure(250, 3, 4, 2);
  Offset panels = 0, blocks = 0;
  for (Index k = 0; k < whole.supernodes(); ++k) {
    panels += Offset{whole.height(k)} * whole.width(k);
    blocks += Offset{whole.width(k)} * whole.width(k);
  }
  for (const ProcessGrid& grid : grids) {
    for_each_plan(
        whole, grid,
        [&](const symbolic::Structure& s, const distribution::Mapping& mapping, const PlanSpec& spec,
            const Accumulation& accumulation, const std::string& name) {
          std::map<Side, Offset> read;
          for (const auto& [local_blocks, plan] :
               make_all_plans(s, mapping, level_sync, spec, accumulation)) {
            const Reads reads(local_blocks, plan);
            for (const Side side : distribution::sides) read[side] += reads.entries(side);
          }
          EXPECT_EQ(read[Side::lower], times_read(Side::lower, spec.upper_is_lower) * panels) << name;
          EXPECT_EQ(read[Side::upper], times_read(Side::upper, spec.upper_is_lower) * panels) << name;
          EXPECT_EQ(read[Side::diagonal], blocks) << name;
        });
  }
}

}  // namespace
}  // namespace trisweep::plan
