#pragma once
// Products with panels of a few values and one right-hand side, as circuits and other very sparse systems
// have them: what a kernel (kernels/panel_product.hpp) needs to begin with takes longer than these.

#include <algorithm>
#include <array>
#include <type_traits>

#include "trisweep/core/slabs.hpp"
#include "trisweep/core/vector.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

inline constexpr Index tiny_width = 4;
inline constexpr Index tiny_entries = 24;

// In one slab.
inline bool is_tiny(const plan::RowBlock& row_block) {
  return row_block.width <= tiny_width && row_block.height <= slab_rows &&
         (row_block.row_end - row_block.row_begin) * row_block.width <= tiny_entries;
}

// A row block's values, as a sweep applies them: conjugate or not.
template <Scalar T>
class TinyPanel {
 public:
  TinyPanel(const T* side, const plan::RowBlock& row_block, bool conjugated)
      : value_(side + row_block.value), height_(row_block.height), conjugated_(conjugated) {}

  TRISWEEP_INLINE T operator()(Index i, Index j) const {
    const T v = value_[j * height_ + i];
    if constexpr (is_complex<T>) return conjugated_ ? conjugate(v) : v;
    return v;
  }

 private:
  const T* value_;
  Index height_;
  bool conjugated_;
};

// Calls product(std::integral_constant<Index, width>): with its width known a product has one loop.
template <class Product>
TRISWEEP_INLINE void with_width(Index width, const Product& product) {
  static_assert(tiny_width == 4);
  switch (width) {
    case 1:
      return product(std::integral_constant<Index, 1>{});
    case 2:
      return product(std::integral_constant<Index, 2>{});
    case 3:
      return product(std::integral_constant<Index, 3>{});
    default:
      return product(std::integral_constant<Index, 4>{});
  }
}

// row[position[i]] -= sum_j panel(i, j) row[at + j], as kernels::scatter_product.
template <Scalar T>
TRISWEEP_INLINE void scatter_tiny(const TinyPanel<T>& panel, const plan::RowBlock& row_block,
                                  const Index* position, T* row) {
  with_width(row_block.width, [&]<Index width>(std::integral_constant<Index, width>) {
    std::array<T, width> source;
    std::copy_n(row + row_block.at.value(), width, source.begin());
    for (Index i = row_block.row_begin; i < row_block.row_end; ++i) {
      T& target = row[*position++];
      T sum = target;
      for (Index j = 0; j < width; ++j) sum -= panel(i, j) * source[usize(j)];
      target = sum;
    }
  });
}

// row[at + j] -= sum_i panel(i, j) row[position[i]], as kernels::gather_product.
template <Scalar T>
TRISWEEP_INLINE void gather_tiny(const TinyPanel<T>& panel, const plan::RowBlock& row_block,
                                 const Index* position, T* row) {
  with_width(row_block.width, [&]<Index width>(std::integral_constant<Index, width>) {
    std::array<T, width> sum{};
    for (Index i = row_block.row_begin; i < row_block.row_end; ++i) {
      const T source = row[*position++];
      for (Index j = 0; j < width; ++j) sum[usize(j)] += panel(i, j) * source;
    }
    for (Index j = 0; j < width; ++j) row[row_block.at.value() + j] -= sum[usize(j)];
  });
}

// row[at + i] = sum_j op(panel)(i, j) row[at + j] of a square panel, as kernels::diagonal_product.
template <Scalar T>
TRISWEEP_INLINE void multiply_tiny(const TinyPanel<T>& panel, const plan::RowBlock& row_block,
                                   bool transposed, T* row) {
  with_width(row_block.width, [&]<Index width>(std::integral_constant<Index, width>) {
    T* const at = row + row_block.at.value();
    std::array<T, width> source;
    std::copy_n(at, width, source.begin());
    for (Index i = 0; i < width; ++i) {
      T sum{};
      for (Index j = 0; j < width; ++j) sum += (transposed ? panel(j, i) : panel(i, j)) * source[usize(j)];
      at[i] = sum;
    }
  });
}

}  // namespace trisweep::engine
