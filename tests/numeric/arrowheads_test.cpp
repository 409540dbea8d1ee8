// Sums of matrices in arrowheads, of processes in turns, beside the same sum of whole matrices.

#include "trisweep/numeric/arrowheads.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/scalars.hpp"

namespace trisweep::numeric {
namespace {

constexpr Index ranks = 3;

// With every entry in some panel; a process has those of its arrowheads alone.
template <Scalar T>
struct Whole {
  Arrowheads shape;
  std::vector<std::vector<T>> memory;
  std::vector<Panel<T>> panel;

  Whole(std::vector<Index> begin, std::vector<Index> owner, bool with_upper)
      : shape{std::move(begin), std::move(owner)} {
    for (Index a = 0; a < shape.count(); ++a) {
      const Index w = shape.width(a), rest = shape.rows() - shape.begin[usize(a) + 1];
      T* const at = memory.emplace_back(usize(w) * usize(w + 2 * rest), T(0)).data();
      panel.push_back({-1, shape.begin[usize(a)], {at, w, w, w}, {at + w * w, rest, w, rest}, {}});
      if (with_upper) panel.back().upper = {at + w * w + rest * w, rest, w, rest};
    }
  }
  std::vector<Panel<T>> of(Index process) const {
    std::vector<Panel<T>> mine = panel;
    for (Index a = 0; a < shape.count(); ++a)
      if (shape.owner[usize(a)] != process) mine[usize(a)].diagonal.data = nullptr;
    return mine;
  }
  T& at(Index row, Index col) const { return entry_of(panel[usize(shape.of(std::min(row, col)))], row, col); }
};

template <class T>
class ArrowheadSums : public testing::Test {};
TYPED_TEST_SUITE(ArrowheadSums, testing_support::Scalars);

TYPED_TEST(ArrowheadSums, AreThoseOfWholeMatrices) {
  using T = TypeParam;
  const std::vector<Index> places{0, 1, 2, 5, 6, 9, 10, 11, 14, 15};
  for (const Kind kind : {Kind::lu, Kind::ldlt}) {
    const bool with_upper = has_upper(kind);
    const Whole<T> from({0, 4, 5, 10}, {1, 0, 1}, with_upper);
    const Whole<T> to({0, 2, 7, 8, 12, 16}, {2, 0, 1, 0, 1}, with_upper);
    const ArrowheadSum sum(from.shape, to.shape, places, kind);
    for (Index j = 0; j < 10; ++j) {
      for (Index i = with_upper ? 0 : j; i < 10; ++i) from.at(i, j) = T(RealOf<T>(10 * i + j + 1));
    }
    Index segments = 0;
    for (Index source = 0; source < ranks; ++source) {
      const auto mine = from.of(source);
      for (Index target = 0; target < ranks; ++target) {
        const auto theirs = to.of(target);
        sum.for_each_segment(source, target, [&](Index a, const Segment& s) {
          ASSERT_TRUE(mine[usize(a)].is_here() && theirs[usize(s.arrowhead)].is_here());
          const T* const values = sum.source(mine[usize(a)], s);
          const Index middle = (s.begin + s.end) / 2;  // as a message may end anywhere
          sum.add<T>({values, usize(middle - s.begin)}, s, s.begin, theirs[usize(s.arrowhead)]);
          sum.add<T>({values + (middle - s.begin), usize(s.end - middle)}, s, middle,
                     theirs[usize(s.arrowhead)]);
          ++segments;
        });
      }
    }
    EXPECT_GT(segments, 10);
    for (Index j = 0; j < 16; ++j) {
      for (Index i = with_upper ? 0 : j; i < 16; ++i) {
        const auto row = std::ranges::find(places, i) - places.begin();
        const auto col = std::ranges::find(places, j) - places.begin();
        const bool is_added = row < 10 && col < 10;
        EXPECT_EQ(to.at(i, j), T(RealOf<T>(is_added ? 10 * row + col + 1 : 0))) << i << ' ' << j;
      }
    }
  }
}

TEST(Arrowheads, HaveOwnersAndRests) {
  const Arrowheads all{.begin = {0, 3, 4, 9}, .owner = {5, 2, 5}};
  EXPECT_EQ(all.owners(), (std::vector<Index>{2, 5}));
  EXPECT_EQ(all.of(0), 0);
  EXPECT_EQ(all.of(3), 1);
  EXPECT_EQ(all.of(8), 2);
  const Arrowheads rest = all.from(1);
  EXPECT_EQ(rest.begin, (std::vector<Index>{0, 1, 6}));
  EXPECT_EQ(rest.owner, (std::vector<Index>{2, 5}));
  EXPECT_EQ(all.from(3).rows(), 0);
}

}  // namespace
}  // namespace trisweep::numeric
