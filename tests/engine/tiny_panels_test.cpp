#include "trisweep/engine/tiny_panels.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "support/scalars.hpp"

namespace trisweep::engine {
namespace {

template <class T>
class TinyPanels : public testing::Test {};
TYPED_TEST_SUITE(TinyPanels, testing_support::Scalars);

template <Scalar T>
T number(Index i) {
  const auto real = static_cast<RealOf<T>>((7 * i) % 11 - 5);
  if constexpr (is_complex<T>) return {real, static_cast<RealOf<T>>((3 * i) % 7 - 3)};
  return real;
}

template <Scalar T>
std::vector<T> numbers(Index count, Index from) {
  std::vector<T> list;
  for (Index i = 0; i < count; ++i) list.push_back(number<T>(from + i));
  return list;
}

// Of whole numbers: all is exact.
template <Scalar T>
void expect_products(Index height, Index width, Index begin, Index end, bool conjugated) {
  constexpr Index before = 3;  // numbers of the side before the panel
  const auto side = numbers<T>(before + height * width, 1);
  const plan::RowBlock row_block{.value = before,
                                 .height = height,
                                 .width = width,
                                 .row_begin = begin,
                                 .row_end = end,
                                 .at = plan::WorkRow(2)};
  ASSERT_TRUE(is_tiny(row_block));
  const auto entry = [&](Index i, Index j) {
    const T v = side[usize(before + j * height + i)];
    return conjugated ? conjugate(v) : v;
  };
  std::vector<Index> position;
  for (Index i = 0; i < end - begin; ++i) position.push_back(8 + 2 * i);
  const auto row = numbers<T>(64, 40);
  auto scattered = row, gathered = row;
  const TinyPanel<T> panel(side.data(), row_block, conjugated);
  scatter_tiny(panel, row_block, position.data(), scattered.data());
  gather_tiny(panel, row_block, position.data(), gathered.data());
  auto expected_scatter = row, expected_gather = row;
  for (Index i = begin; i < end; ++i) {
    const auto at = usize(position[usize(i - begin)]);
    for (Index j = 0; j < width; ++j) {
      expected_scatter[at] -= entry(i, j) * row[usize(2 + j)];
      expected_gather[usize(2 + j)] -= entry(i, j) * row[at];
    }
  }
  EXPECT_EQ(scattered, expected_scatter);
  EXPECT_EQ(gathered, expected_gather);
}

TYPED_TEST(TinyPanels, ScatterAndGather) {
  for (const bool conjugated : {false, true}) {
    for (Index width = 1; width <= tiny_width; ++width) {
      for (Index height = 1; height <= 6; ++height) {
        expect_products<TypeParam>(height, width, 0, height, conjugated);
        expect_products<TypeParam>(height, width, height / 2, height, conjugated);
      }
    }
  }
}

TYPED_TEST(TinyPanels, MultiplyByDiagonalBlocks) {
  using T = TypeParam;
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    for (Index width = 1; width <= tiny_width; ++width) {
      const auto side = numbers<T>(width * width, 5);
      const plan::RowBlock row_block{
          .height = width, .width = width, .row_end = width, .at = plan::WorkRow(1)};
      const auto row = numbers<T>(8, 20);
      auto product = row, expected = row;
      multiply_tiny(TinyPanel<T>(side.data(), row_block, op == Op::conjugate_transpose), row_block,
                    op != Op::none, product.data());
      for (Index i = 0; i < width; ++i) {
        expected[usize(1 + i)] = T{};
        for (Index j = 0; j < width; ++j) {
          const T v = op == Op::none ? side[usize(j * width + i)] : side[usize(i * width + j)];
          expected[usize(1 + i)] += (op == Op::conjugate_transpose ? conjugate(v) : v) * row[usize(1 + j)];
        }
      }
      EXPECT_EQ(product, expected);
    }
  }
}

TEST(TinyPanel, IsNoneOfSeveralSlabs) {
  EXPECT_FALSE(is_tiny({.height = slab_rows + 1, .width = 1, .row_begin = 0, .row_end = 2}));
  EXPECT_FALSE(is_tiny({.height = 2, .width = tiny_width + 1, .row_begin = 0, .row_end = 2}));
}

}  // namespace
}  // namespace trisweep::engine
