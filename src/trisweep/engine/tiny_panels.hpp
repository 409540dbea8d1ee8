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
inline bool is_tiny(const plan::Strip& strip) {
  return strip.width <= tiny_width && strip.height <= slab_rows &&
         (strip.row_end - strip.row_begin) * strip.width <= tiny_entries;
}

// A strip's numbers, as a sweep applies them: conjugate or not.
template <Scalar T>
class TinyPanel {
 public:
  TinyPanel(const T* side, const plan::Strip& strip, bool conjugated)
      : value_(side + strip.value), height_(strip.height), conjugated_(conjugated) {}

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
TRISWEEP_INLINE void scatter_tiny(const TinyPanel<T>& panel, const plan::Strip& strip, const Index* position,
                                  T* row) {
  const T* const source = row + strip.at.value();
  for (Index j = 0; j < strip.width; ++j) {
    const T s = source[j];
    for (Index i = strip.row_begin; i < strip.row_end; ++i)
      row[position[i - strip.row_begin]] -= panel(i, j) * s;
  }
}

// row[at + j] -= sum_i panel(i, j) row[position[i]], as kernels::gather_product.
template <Scalar T>
TRISWEEP_INLINE void gather_tiny(const TinyPanel<T>& panel, const plan::Strip& strip, const Index* position,
                                 T* row) {
  T* const target = row + strip.at.value();
  for (Index j = 0; j < strip.width; ++j) {
    T sum{};
    for (Index i = strip.row_begin; i < strip.row_end; ++i)
      sum += panel(i, j) * row[position[i - strip.row_begin]];
    target[j] -= sum;
  }
}

// row[at + i] = sum_j op(panel)(i, j) row[at + j] of a square panel, as kernels::diagonal_product.
template <Scalar T>
TRISWEEP_INLINE void multiply_tiny(const TinyPanel<T>& panel, const plan::Strip& strip, bool transposed,
                                   T* row) {
  T* const at = row + strip.at.value();
  if (strip.width == 1) {
    at[0] *= panel(0, 0);
    return;
  }
  std::array<T, tiny_width> source;
  std::copy_n(at, strip.width, source.begin());
  for (Index i = 0; i < strip.width; ++i) {
    at[i] = T{};
    for (Index j = 0; j < strip.width; ++j)
      at[i] += (transposed ? panel(j, i) : panel(i, j)) * source[usize(j)];
  }
}

}  // namespace trisweep::engine
