// Products by tiles, as the lanes of a warp make them on tensor cores, with one thread that plays all lanes.

#include <gtest/gtest.h>

#include <set>

#include "device/virtual_pes.hpp"
#include "support/largest.hpp"
#include "support/structure.hpp"
#include "support/watchdog.hpp"
#include "trisweep/device/tile_product.hpp"

namespace trisweep::device {
namespace {

using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::MadeUpFactors;
using testing_support::Programs;
using testing_support::random_structure;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::VirtualPes;

// The PTX ISA's own words for mma.m8n8k4 with .f64: groupID = %laneid >> 2, threadID_in_group = %laneid % 4.
TEST(DeviceTiles, LanesHaveWhatThePtxIsaSays) {
  std::set<std::pair<int, int>> of_c;
  for (int lane = 0; lane < HostWarp::lanes; ++lane) {
    const int group_id = lane >> 2, thread_in_group = lane % 4;
    EXPECT_EQ(place_in_a(lane), (TilePlace{group_id, thread_in_group}));
    EXPECT_EQ(place_in_b(lane), (TilePlace{thread_in_group, group_id}));
    EXPECT_EQ(lane_of_a(place_in_a(lane)), lane);
    EXPECT_EQ(lane_of_b(place_in_b(lane)), lane);
    for (int i = 0; i < tile_shares; ++i) {
      EXPECT_EQ(place_in_c(lane, i), (TilePlace{group_id, thread_in_group * 2 + (i & 0x1)}));
      of_c.emplace(place_in_c(lane, i).row, place_in_c(lane, i).column);
    }
  }
  EXPECT_EQ(of_c.size(), usize(tile_size * tile_size));
}

template <class N>
N made_up(int row, int column) {
  if constexpr (std::same_as<N, double>) {
    return 1.0 / (3 + 8 * row + column);
  } else {
    return {1.0 / (3 + 8 * row + column), 1.0 / (5.5 - 12 * column + row)};
  }
}

// Two products into one sum, written out.
template <class N>
void expect_sums(double sign) {
  const HostWarp warp;
  TileSum<HostWarp, N> sum;
  N expected[tile_size][tile_size] = {};
  for (int depth = 0; depth < 2; ++depth) {
    HostWarp::Register<N> a, b;
    warp.each([&](int lane) {
      const TilePlace of_a = place_in_a(lane), of_b = place_in_b(lane);
      a[usize(lane)] = made_up<N>(of_a.row + 8 * depth, of_a.column);
      b[usize(lane)] = made_up<N>(of_b.row, of_b.column + 8 * depth);
    });
    sum.add(warp, a, b, sign);
    for (int i = 0; i < tile_size; ++i)
      for (int j = 0; j < tile_size; ++j)
        for (int k = 0; k < tile_depth; ++k)
          add_product(expected[i][j], made_up<N>(i + 8 * depth, k), made_up<N>(k, j + 8 * depth), sign);
  }
  warp.each([&](int lane) {
    for (int share = 0; share < tile_shares; ++share) {
      N difference = expected[place_in_c(lane, share).row][place_in_c(lane, share).column];
      difference -= sum.at(lane, share);
      EXPECT_LT(magnitude(difference), 1e-15) << lane << ' ' << share;
    }
  });
}

TEST(DeviceTiles, MultiplyMatrices) {
  expect_sums<double>(1);
  for (const double sign : {1.0, -1.0}) expect_sums<Complex<double>>(sign);
}

// A block whose groups are warps with tensor cores, of which it has one.
struct TileBlock : HostBlock {
  template <class T>
  static constexpr bool multiplies_tiles = std::same_as<RealPart<T>, double>;
};

// Row blocks that end within slabs and tiles, and supernodes of any width.
template <Scalar T>
void expect_solves_by_tiles(int whole_levels, const distribution::ProcessGrid& grid) {
  const auto structure = random_structure(150, 2, 8, whole_levels);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const Programs programs(structure, grid, {}, op, false);
    const MadeUpFactors<T> factors(*programs.distribution.structure, false);
    for (const Index nrhs : {8, 21}) {
      show_life();
      const auto b = random_vector<T>(usize(structure.n) * usize(nrhs), 3);
      VirtualPes<T> pes(programs, factors, 1, nrhs);
      const auto plain = pes.solve(b, nrhs);
      const auto by_tiles = pes.solve(b, nrhs, [](int, int) { return TileBlock{}; });
      EXPECT_LT(largest_difference(by_tiles, plain) / largest_magnitude(plain), 1e-14)
          << grid.name() << " op " << char(op) << " nrhs " << nrhs;
      for (Index c = 0; c < nrhs; c += 7) {
        const auto column = b.begin() + c * structure.n;
        const auto expected = factors.solve(op, {column, column + structure.n});
        const std::vector<T> x(by_tiles.begin() + c * structure.n, by_tiles.begin() + (c + 1) * structure.n);
        EXPECT_LT(largest_difference(x, expected) / largest_magnitude(expected), 1e-13);
      }
    }
  }
}

TEST(DeviceTiles, SolveWholePlans) {
  for (const int whole_levels : {0, 3}) {
    expect_solves_by_tiles<double>(whole_levels, {1, 1, 1});
    expect_solves_by_tiles<std::complex<double>>(whole_levels, {2, 1, 2});
  }
}

}  // namespace
}  // namespace trisweep::device
