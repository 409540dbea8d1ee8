#pragma once
// Panels whose products are measured.

#include <algorithm>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/model/cost.hpp"

namespace trisweep::measure {

// Panels of one size, one after another in memory, multiplied as in a backward sweep: gather products go down
// in memory and prefetch in that direction. Each panel has its own work rows and reads those of the panels
// behind it, so that vectors are read as in a sweep.
class Panels {
 public:
  Panels(Index height, Index width, Index count, Index nrhs)
      : height_(height),
        width_(width),
        count_(count),
        nrhs_(nrhs),
        value_(usize(height) * usize(width) * usize(count), "panels to measure"),
        row_((usize(width) * usize(count) + usize(height)) * usize(nrhs), 1.0),
        scratch_(kernels::scratch_size(width, nrhs)) {
    std::ranges::fill(value_.span(), 1e-9);
    for (Index panel = 1; panel <= count; ++panel) {
      for (Index i = 0; i < height; ++i) position_.push_back(panel * width + i);
    }
  }

  void multiply() {
    for (Index i = 0; i < count_; ++i) multiply_next();
  }
  // Multiplies all panels, but no two neighbours in succession. `count` must be a power of two.
  void multiply_scattered() {
    constexpr Index step = 40503;  // odd: visits every panel
    for (Index i = 0; i < count_; ++i) {
      next_ = static_cast<Index>((std::int64_t{next_} + step) % count_) + 1;
      multiply_next();
    }
  }
  // Multiplies the next panel, downward in memory; the last one follows the first.
  void multiply_next() {
    next_ = (next_ == 0 ? count_ : next_) - 1;
    kernels::gather_product<double>({.value = value_.data() + usize(next_) * usize(height_) * usize(width_),
                                     .position = position_.data() + usize(next_) * usize(height_),
                                     .height = height_,
                                     .width = width_,
                                     .begin = 0,
                                     .end = height_,
                                     .conjugate = false},
                                    next_ * width_,
                                    {.row = row_.data(), .scratch = scratch_.data(), .nrhs = nrhs_});
  }

  // Totals of all products, as the model counts them.
  double bytes() const { return count_ * model::product_cost(height_, width_, {.nrhs = nrhs_}).bytes; }
  double flops() const { return count_ * model::product_cost(height_, width_, {.nrhs = nrhs_}).flops; }
  double count() const { return count_; }

 private:
  Index height_, width_, count_, nrhs_;
  Index next_ = 0;
  Buffer<double> value_;
  std::vector<double> row_, scratch_;
  std::vector<Index> position_;
};

}  // namespace trisweep::measure
