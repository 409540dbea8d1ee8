#include "trisweep/distribution/grid.hpp"

#include <gtest/gtest.h>

#include <set>

#include "trisweep/core/error.hpp"

namespace trisweep::distribution {
namespace {

TEST(Grid, ParsesTwoAndThreeFactors) {
  const ProcessGrid grid = parse_grid("2x3x4");
  EXPECT_EQ(grid.px, 2);
  EXPECT_EQ(grid.py, 3);
  EXPECT_EQ(grid.pz, 4);
  EXPECT_EQ(parse_grid("2x3").pz, 1);
  EXPECT_EQ(grid.name(), "2x3x4");
}

TEST(Grid, RefusesWhatIsNotAGrid) {
  for (const char* text : {"", "2", "x", "2x", "2x3x", "0x1x1", "-1x2x1", "2x2x3", "2x2x2x2", "axb", "2 x2",
                           "2x2x2 ", "100000x100000x1", "99999999999x1x1"}) {
    EXPECT_THROW(parse_grid(text), Error) << text;
  }
}

TEST(Grid, RanksAndPointsAreInverse) {
  const ProcessGrid grid{2, 3, 4};
  std::set<Index> seen;
  for (Index r = 0; r < grid.ranks(); ++r) {
    const GridPoint p = grid.point(r);
    EXPECT_EQ(grid.rank(p), r);
    EXPECT_LT(p.x, 2);
    EXPECT_LT(p.y, 3);
    EXPECT_LT(p.z, 4);
    seen.insert((p.z * 2 + p.x) * 3 + p.y);
  }
  EXPECT_EQ(seen.size(), 24u);
}

TEST(Grid, TheRemedyNamesTheNumberOfRanks) {
  EXPECT_NO_THROW(check_grid({2, 3, 1}, 6));
  for (const ProcessGrid& grid : {ProcessGrid{-2, -3, 1}, {2, -1, -3}, {2, 1, 3}, {0, 1, 1}, {6, 1, 0}})
    EXPECT_THROW(check_grid(grid, 6), Error) << grid.name();
  try {
    check_grid({2, 3, 2}, 4);
    FAIL() << "12 points on 4 ranks";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit_status(), 2);
    EXPECT_NE(std::string(e.what()).find("-n 12"), std::string::npos);
  }
}

TEST(Grid, SquareGridsUseEveryRank) {
  for (const Index ranks : {1, 2, 3, 4, 6, 12, 13, 64}) {
    const ProcessGrid grid = square_grid(ranks);
    EXPECT_EQ(grid.ranks(), ranks);
    EXPECT_LE(grid.px, grid.py);
  }
  EXPECT_EQ(square_grid(12).px, 3);
}

}  // namespace
}  // namespace trisweep::distribution
