#pragma once
// Products with panels of a few numbers and one right-hand side, as circuits and other very sparse systems
// have them: what a kernel (kernels/panel_product.hpp) needs to begin with takes longer than these.

#include <array>

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

// A row block's numbers, as a sweep applies them: conjugate or not.
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

// row[position[i]] -= sum_j panel(i, j) row[at + j], as kernels::scatter_product.
template <Scalar T>
TRISWEEP_INLINE void scatter_tiny(const TinyPanel<T>& panel, const plan::RowBlock& row_block,
                                  const Index* position, T* row) {
  const T* const source = row + row_block.at.value();
  for (Index j = 0; j < row_block.width; ++j) {
    const T s = source[j];
    for (Index i = row_block.row_begin; i < row_block.row_end; ++i)
      row[position[i - row_block.row_begin]] -= panel(i, j) * s;
  }
}

// row[at + j] -= sum_i panel(i, j) row[position[i]], as kernels::gather_product.
template <Scalar T>
TRISWEEP_INLINE void gather_tiny(const TinyPanel<T>& panel, const plan::RowBlock& row_block,
                                 const Index* position, T* row) {
  T* const target = row + row_block.at.value();
  for (Index j = 0; j < row_block.width; ++j) {
    T sum{};
    for (Index i = row_block.row_begin; i < row_block.row_end; ++i)
      sum += panel(i, j) * row[position[i - row_block.row_begin]];
    target[j] -= sum;
  }
}

// row[at + i] = sum_j op(panel)(i, j) row[at + j] of a square panel, as kernels::diagonal_product.
template <Scalar T>
TRISWEEP_INLINE void multiply_tiny(const TinyPanel<T>& panel, const plan::RowBlock& row_block,
                                   bool transposed, T* row) {
  T* const at = row + row_block.at.value();
  if (row_block.width == 1) {
    at[0] *= panel(0, 0);
    return;
  }
  std::array<T, tiny_width> source;
  std::copy_n(at, row_block.width, source.begin());
  for (Index i = 0; i < row_block.width; ++i) {
    at[i] = T{};
    for (Index j = 0; j < row_block.width; ++j)
      at[i] += (transposed ? panel(j, i) : panel(i, j)) * source[usize(j)];
  }
}

}  // namespace trisweep::engine
