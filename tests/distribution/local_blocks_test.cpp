#include "trisweep/distribution/local_blocks.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/structure.hpp"

namespace trisweep::distribution {
namespace {

const std::vector<ProcessGrid> grids = {{1, 1, 1}, {2, 3, 1}, {1, 1, 4}, {3, 2, 2}, {2, 2, 8}, {7, 1, 1}};

// Every layer that holds a supernode has each of its blocks, of both sides, on exactly one rank.
TEST(LocalBlocks, EachLayerHasEveryBlockOnce) {
  const auto s = testing_support::random_structure(200, 3);
  for (const auto& grid : grids) {
    const auto mapping = block_cyclic(s, grid);
    std::multiset<std::tuple<Index, Side, Index, Index>>
        found;  // layer, side, row supernode, panel supernode
    for (Index r = 0; r < grid.ranks(); ++r) {
      const LocalBlocks local_blocks = make_local_blocks(s, *mapping, r);
      for (const Side side : {Side::lower, Side::upper}) {
        const LocalSide& part = local_blocks.side(side);
        for (Index p = 0; p < part.pieces(); ++p) {
          for (const PieceBlock& b : part.blocks(p)) {
            found.emplace(local_blocks.layer, side, local_blocks.segment[usize(b.segment)],
                          part.supernode[usize(p)]);
          }
        }
      }
    }
    std::size_t expected = 0;
    for (Index k = 0; k < s.supernodes(); ++k) {
      const LayerRange layers = mapping->layers_of(k);
      expected += 2 * s.blocks(k).size() * usize(layers.last - layers.first);
    }
    EXPECT_EQ(found.size(), expected) << grid.name();
    EXPECT_EQ(std::set(found.begin(), found.end()).size(), expected) << grid.name();
  }
}

TEST(LocalBlocks, EverySupernodeHasOneDiagonalOwnerPerLayerAndOneHome) {
  const auto s = testing_support::random_structure(150, 3, 2);
  for (const auto& grid : grids) {
    const auto mapping = block_cyclic(s, grid);
    std::vector<Index> owners(usize(s.supernodes())), homes(usize(s.supernodes()));
    for (Index r = 0; r < grid.ranks(); ++r) {
      const LocalBlocks local_blocks = make_local_blocks(s, *mapping, r);
      for (Index i = 0; i < local_blocks.segments(); ++i) {
        if (!local_blocks.owned[usize(i)]) continue;
        ++owners[usize(local_blocks.segment[usize(i)])];
        homes[usize(local_blocks.segment[usize(i)])] += mapping->home(local_blocks.segment[usize(i)]) == r;
      }
    }
    for (Index k = 0; k < s.supernodes(); ++k) {
      const LayerRange layers = mapping->layers_of(k);
      EXPECT_EQ(owners[usize(k)], layers.last - layers.first);
      EXPECT_EQ(homes[usize(k)], 1);
    }
  }
}

// A layer must be able to solve with what it holds: the rows of its panels are supernodes that it holds, too.
TEST(LocalBlocks, LayersAreClosedUnderRows) {
  const auto s = testing_support::random_structure(200, 3, 3);
  for (const auto& grid : grids) {
    const auto mapping = block_cyclic(s, grid);
    for (Index k = 0; k < s.supernodes(); ++k) {
      const LayerRange below = mapping->layers_of(k);
      ASSERT_LT(below.first, below.last);
      for (const auto& block : s.blocks(k)) {
        const LayerRange above = mapping->layers_of(block.row_supernode);
        EXPECT_LE(above.first, below.first);
        EXPECT_GE(above.last, below.last);
      }
    }
  }
}

TEST(LocalBlocks, PositionsPointAtTheRowsOfTheStructure) {
  const auto s = testing_support::random_structure(120, 2, 4);
  const auto mapping = block_cyclic(s, {2, 2, 1});
  for (Index r = 0; r < 4; ++r) {
    const LocalBlocks local_blocks = make_local_blocks(s, *mapping, r);
    const PiecePositions positions = piece_positions(s, local_blocks);
    std::vector<Index> row_at(usize(local_blocks.work_rows()));
    for (Index i = 0; i < local_blocks.segments(); ++i) {
      for (Index j = 0; j < local_blocks.width(i); ++j) {
        row_at[usize(local_blocks.slot[usize(i)] + j)] = s.first[usize(local_blocks.segment[usize(i)])] + j;
      }
    }
    for (Index p = 0; p < local_blocks.lower.pieces(); ++p) {
      std::vector<Index> expected, rows;
      const Index k = local_blocks.lower.supernode[usize(p)];
      for (const auto& block : s.blocks(k)) {
        if (mapping->owner(0, Side::lower, block.row_supernode, k) != r) continue;
        const auto all = s.rows(k);
        expected.insert(expected.end(), all.begin() + block.begin, all.begin() + block.end);
      }
      for (Offset i = local_blocks.lower.row_ptr[usize(p)]; i < local_blocks.lower.row_ptr[usize(p) + 1];
           ++i) {
        rows.push_back(row_at[usize(positions.lower[usize(i)])]);
      }
      EXPECT_EQ(rows, expected);
    }
  }
}

// The shares of a whole layer at once are those of its ranks one by one.
TEST(LocalBlocks, OfAllRanksOfALayerAreThoseOfEach) {
  const auto s = testing_support::random_structure(200, 3, 5);
  for (const auto& grid : grids) {
    const auto mapping = block_cyclic(s, grid);
    Index rank = 0;
    for (Index layer = 0; layer < mapping->layers(); ++layer) {
      for (const LocalBlocks& local_blocks : make_all_local_blocks(s, *mapping, layer)) {
        const LocalBlocks single = make_local_blocks(s, *mapping, rank);
        EXPECT_EQ(local_blocks.rank, rank++);
        EXPECT_EQ(local_blocks.layer, layer);
        EXPECT_EQ(local_blocks.segment, single.segment);
        EXPECT_EQ(local_blocks.slot, single.slot);
        EXPECT_EQ(local_blocks.owned, single.owned);
        EXPECT_EQ(local_blocks.diagonal.value_ptr, single.diagonal.value_ptr);
        for (const Side side : {Side::lower, Side::upper}) {
          EXPECT_EQ(local_blocks.side(side).supernode, single.side(side).supernode);
          EXPECT_EQ(local_blocks.side(side).segment, single.side(side).segment);
          EXPECT_EQ(local_blocks.side(side).value_ptr, single.side(side).value_ptr);
        }
        const PiecePositions all = piece_positions(s, local_blocks), one = piece_positions(s, single);
        EXPECT_EQ(all.lower, one.lower);
        EXPECT_EQ(all.upper, one.upper);
      }
    }
    EXPECT_EQ(rank, grid.ranks());
  }
}

TEST(LocalBlocks, KnowsItsLocalSegments) {
  const auto s = testing_support::random_structure(200, 3, 6);
  const auto mapping = block_cyclic(s, {2, 3, 2});
  const LocalBlocks local_blocks = make_local_blocks(s, *mapping, 4);
  std::vector<Index> expected(usize(s.supernodes()), -1);
  for (Index i = 0; i < local_blocks.segments(); ++i) expected[usize(local_blocks.segment[usize(i)])] = i;
  for (Index k = 0; k < s.supernodes(); ++k) EXPECT_EQ(local_blocks.local(k), expected[usize(k)]);
}

}  // namespace
}  // namespace trisweep::distribution
