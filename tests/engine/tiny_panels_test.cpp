#include "trisweep/engine/tiny_panels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

using plan::Direction;
using plan::RowBlock;

// Panels of all small sizes next to each other, but for a gap behind each seventh.
template <Scalar T>
class ListedPanels {
 public:
  explicit ListedPanels(bool square) {
    Index at = 2;
    for (Index height = 0; height <= 8; ++height) {
      for (Index width = 1; width <= 4; ++width) {
        for (Index twice = 0; twice < 2; ++twice) add(square ? width : height, width, at);
      }
    }
    value_ = numbers<T>(value_end_, 1);
    row_ = numbers<T>(at + 30, 40);
    for (Index i = 0; i < position_end_; ++i) position_.push_back(at + (5 * i) % 29);
  }

  const std::vector<RowBlock>& row_blocks() const { return row_blocks_; }
  const std::vector<T>& row() const { return row_; }
  T entry(const RowBlock& b, Index i, Index j) const { return value_[usize(b.value + j * b.height + i)]; }
  Index position(const RowBlock& b, Index i) const { return position_[usize(b.position + i)]; }

  // After product(panel, size) of each in that order.
  template <Direction direction, class Product>
  std::vector<T> applied(const Product& product) {
    auto all = row_blocks_;
    if (direction == Direction::gather) std::ranges::reverse(all);
    const TinyShapes shapes = tiny_shapes(all, direction);
    std::vector<T> row = row_;
    std::size_t runs = 0;
    for (std::size_t i = 0; i < all.size(); ++runs) {
      const TinyPanel<T> first{value_.data() + all[i].value, position_.data() + all[i].position,
                               row.data() + all[i].at.value()};
      i = for_each_tiny<direction>(
          shapes.data(), i, all.size(), first,
          [&](const auto& panel, const auto& size) { product(panel, size, row.data()); });
    }
    EXPECT_LT(runs, all.size() / 4);
    return row;
  }

 private:
  void add(Index height, Index width, Index& at) {
    if (height * width > 24) return;
    if (row_blocks_.size() % 7 == 6) ++value_end_, ++position_end_, ++at;
    row_blocks_.push_back({.value = value_end_,
                           .position = position_end_,
                           .height = height,
                           .width = width,
                           .row_end = height,
                           .at = plan::WorkRow(at)});
    value_end_ += height * width;
    position_end_ += height;
    at += width;
  }

  std::vector<RowBlock> row_blocks_;
  std::vector<T> value_, row_;
  std::vector<Index> position_;
  Index value_end_ = 3, position_end_ = 5;
};

// Of whole numbers: all is exact.
TYPED_TEST(TinyPanels, ScatterAndGather) {
  using T = TypeParam;
  ListedPanels<T> panels(false);
  for (const bool conjugated : {false, true}) {
    const auto value = [&](const RowBlock& b, Index i, Index j) {
      const T v = panels.entry(b, i, j);
      return conjugated ? conjugate(v) : v;
    };
    auto scattered = panels.row(), gathered = panels.row();
    for (const RowBlock& b : panels.row_blocks()) {
      for (Index i = 0; i < b.height; ++i) {
        for (Index j = 0; j < b.width; ++j) {
          const auto at = usize(b.at.value() + j), row = usize(panels.position(b, i));
          scattered[row] -= value(b, i, j) * panels.row()[at];
          gathered[at] -= value(b, i, j) * panels.row()[row];
        }
      }
    }
    EXPECT_EQ(panels.template applied<Direction::scatter>([&](const auto& panel, const auto& size, T* row) {
      scatter_tiny(panel, size, conjugated, row);
    }),
              scattered);
    EXPECT_EQ(panels.template applied<Direction::gather>([&](const auto& panel, const auto& size, T* row) {
      gather_tiny(panel, size, conjugated, row);
    }),
              gathered);
  }
}

TYPED_TEST(TinyPanels, MultiplyByDiagonalBlocks) {
  using T = TypeParam;
  ListedPanels<T> panels(true);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    auto expected = panels.row();
    for (const RowBlock& b : panels.row_blocks()) {
      for (Index i = 0; i < b.width; ++i) {
        T& sum = expected[usize(b.at.value() + i)] = T{};
        for (Index j = 0; j < b.width; ++j) {
          const T v = op == Op::none ? panels.entry(b, i, j) : panels.entry(b, j, i);
          sum += (op == Op::conjugate_transpose ? conjugate(v) : v) * panels.row()[usize(b.at.value() + j)];
        }
      }
    }
    EXPECT_EQ(panels.template applied<Direction::scatter>(
                  [&](const auto& panel, const auto& size, T*) { multiply_tiny(panel, size, op); }),
              expected);
  }
}

TEST(TinyPanel, IsAWholePieceOfOneSlab) {
  const RowBlock whole{.height = 6, .width = 4, .row_end = 6};
  RowBlock part = whole, tall = whole, wide = whole, large = whole;
  part.row_begin = 1;
  tall = {.height = slab_rows + 1, .width = 1, .row_end = slab_rows + 1};
  wide = {.height = 1, .width = 5, .row_end = 1};
  large = {.height = 7, .width = 4, .row_end = 7};
  const auto shapes = tiny_shapes({whole, part, tall, wide, large}, Direction::scatter);
  EXPECT_TRUE(shapes[0].is_tiny());
  for (const std::size_t i : {1, 2, 3, 4}) EXPECT_FALSE(shapes[i].is_tiny()) << i;
}

}  // namespace
}  // namespace trisweep::engine
