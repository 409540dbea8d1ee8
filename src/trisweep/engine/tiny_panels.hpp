#pragma once
// Products with panels of a few values and one right-hand side, as in circuits and other very sparse systems.
// The start-up cost of a kernel (kernels/panel_product.hpp) exceeds that of such a product, and a row block
// is larger than its values. If panels are contiguous in memory, one byte for each contains all that its
// product needs.

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "trisweep/core/slabs.hpp"
#include "trisweep/core/vector.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

// Shape of a row block: not tiny (0), or a whole piece of so many rows and columns in one slab. It may follow
// the previous row block: its values, positions and columns are directly behind those of that row block or,
// in a gather sweep, which runs backward, directly before them.
class TinyShape {
 public:
  TinyShape() = default;
  TinyShape(Index rows, Index width, bool follows)
      : bits_(static_cast<std::uint8_t>((follows ? 128 : 0) | rows << 2 | (width - 1))) {}

  static bool fits(const plan::RowBlock& row_block) {
    return row_block.width <= most_columns && row_block.height <= slab_rows && row_block.row_begin == 0 &&
           row_block.row_end == row_block.height && row_block.height * row_block.width <= most_entries;
  }

  bool is_tiny() const { return bits_ != 0; }
  bool follows() const { return bits_ >= 128; }
  Index rows() const { return (bits_ & 127) >> 2; }
  Index width() const { return (bits_ & 3) + 1; }
  // The case of with_size().
  int size_class() const {
    static constexpr auto of = [] {
      std::array<std::uint8_t, 128> all{};
      for (std::size_t bits = 0; bits < 128; ++bits) {
        const std::size_t rows = bits >> 2, width = (bits & 3) + 1;
        all[bits] = static_cast<std::uint8_t>(width > 1 ? width + 2 : rows <= 3 ? rows : 0);
      }
      return all;
    }();
    return of[bits_ & 127];
  }

 private:
  static constexpr Index most_columns = 4;
  static constexpr Index most_entries = 24;  // also the largest number of rows, with one column: five bits

  std::uint8_t bits_ = 0;
};
using TinyShapes = std::vector<TinyShape>;  // by row block of a phase

// Shapes of row blocks, in the order in which a phase has them.
inline TinyShapes tiny_shapes(const std::vector<plan::RowBlock>& row_blocks, plan::Direction direction) {
  const auto is_next = [](const plan::RowBlock& low, const plan::RowBlock& high) {
    return high.value == low.value + Offset{low.height} * low.width &&
           high.position == low.position + low.height && high.at == low.at + low.width;
  };
  TinyShapes shapes(row_blocks.size());
  for (std::size_t i = 0; i < row_blocks.size(); ++i) {
    const plan::RowBlock& row_block = row_blocks[i];
    if (!TinyShape::fits(row_block)) continue;
    const bool follows = i > 0 && shapes[i - 1].is_tiny() &&
                         (direction == plan::Direction::scatter ? is_next(row_blocks[i - 1], row_block)
                                                                : is_next(row_block, row_blocks[i - 1]));
    shapes[i] = TinyShape(row_block.height, row_block.width, follows);
  }
  return shapes;
}

// The rows and columns of a panel, as far as they are compile-time constants. fixed_rows = 0: any number.
template <Index fixed_rows, Index fixed_width>
struct TinySize {
  static constexpr Index width = fixed_width;
  Index any_rows;

  explicit TinySize(TinyShape shape) : any_rows(shape.rows()) {}
  TRISWEEP_INLINE Index rows() const { return fixed_rows > 0 ? fixed_rows : any_rows; }
};

// Calls visit(size) for the size of panels of that shape. Most have one column and a few rows. A single
// switch takes one branch prediction.
template <class Visit>
TRISWEEP_INLINE void with_size(TinyShape shape, const Visit& visit) {
  switch (shape.size_class()) {
    case 0:
      return visit(TinySize<0, 1>(shape));
    case 1:
      return visit(TinySize<1, 1>(shape));
    case 2:
      return visit(TinySize<2, 1>(shape));
    case 3:
      return visit(TinySize<3, 1>(shape));
    case 4:
      return visit(TinySize<0, 2>(shape));
    case 5:
      return visit(TinySize<0, 3>(shape));
    default:
      return visit(TinySize<0, 4>(shape));
  }
}

// Location of a panel: its values, the work rows of its rows, and its columns in the work vector.
template <Scalar T>
struct TinyPanel {
  const T* value;
  const Index* position;
  T* at;

  // Advances to the next panel, or in a gather sweep the previous one, by so many rows and columns.
  template <plan::Direction direction>
  TRISWEEP_INLINE void move_on(Index rows, Index width) {
    constexpr Index sign = direction == plan::Direction::scatter ? 1 : -1;
    value += sign * rows * width;
    position += sign * rows;
    at += sign * width;
  }
};

// Calls product(panel, size) for the row block `i`, whose panel is `panel`, and those that follow it. Returns
// the first row block that does not follow.
template <plan::Direction direction, Scalar T, class Product>
TRISWEEP_INLINE std::size_t for_each_tiny(const TinyShape* shapes, std::size_t i, std::size_t end,
                                          TinyPanel<T> panel, const Product& product) {
  constexpr bool forward = direction == plan::Direction::scatter;
  for (;;) {
    const TinyShape shape = shapes[i];
    with_size(shape, [&](const auto& size) {
      product(panel, size);
      if constexpr (forward) panel.template move_on<direction>(size.rows(), size.width);
    });
    if (++i == end || !shapes[i].follows()) return i;
    if constexpr (!forward) panel.template move_on<direction>(shapes[i].rows(), shapes[i].width());
  }
}

// The value as it is applied: conjugated or not.
template <Scalar T>
TRISWEEP_INLINE T applied(T v, bool conjugated) {
  if constexpr (is_complex<T>) return conjugated ? conjugate(v) : v;
  return v;
}

// row[position[i]] -= sum_j panel(i, j) at[j], as kernels::scatter_product.
template <Scalar T, class Size>
TRISWEEP_INLINE void scatter_tiny(const TinyPanel<T>& panel, const Size& size, bool conjugated, T* row) {
  std::array<T, Size::width> source;
  std::copy_n(panel.at, Size::width, source.begin());
  for (Index i = 0; i < size.rows(); ++i) {
    T& target = row[panel.position[i]];
    T sum = target;
    for (Index j = 0; j < Size::width; ++j)
      sum -= applied(panel.value[j * size.rows() + i], conjugated) * source[usize(j)];
    target = sum;
  }
}

// at[j] -= sum_i panel(i, j) row[position[i]], as kernels::gather_product.
template <Scalar T, class Size>
TRISWEEP_INLINE void gather_tiny(const TinyPanel<T>& panel, const Size& size, bool conjugated, const T* row) {
  std::array<T, Size::width> sum{};
  for (Index i = 0; i < size.rows(); ++i) {
    const T source = row[panel.position[i]];
    for (Index j = 0; j < Size::width; ++j)
      sum[usize(j)] += applied(panel.value[j * size.rows() + i], conjugated) * source;
  }
  for (Index j = 0; j < Size::width; ++j) panel.at[j] -= sum[usize(j)];
}

// at[i] = sum_j op(panel)(i, j) at[j] of a square panel, as kernels::diagonal_product.
template <Scalar T, class Size>
TRISWEEP_INLINE void multiply_tiny(const TinyPanel<T>& panel, const Size&, Op op) {
  constexpr Index width = Size::width;
  std::array<T, width> source;
  std::copy_n(panel.at, width, source.begin());
  for (Index i = 0; i < width; ++i) {
    T sum{};
    for (Index j = 0; j < width; ++j) {
      const T v = panel.value[op == Op::none ? j * width + i : i * width + j];
      sum += applied(v, op == Op::conjugate_transpose) * source[usize(j)];
    }
    panel.at[i] = sum;
  }
}

}  // namespace trisweep::engine
