#pragma once
// Lists of products with many small panels.

#include <span>
#include <vector>

#include "trisweep/device/gemv.hpp"

namespace trisweep::device {

// All products of a process.
struct GemvTasks {
  std::span<const std::byte> panels;
  std::vector<Gemv> right;          // sums_of_x
  std::vector<Gemv> left;           // by row block, in each the dense ones first
  std::vector<GemvRows> row_block;  // of `left`
  Index columns = 0;                // of x
  Index rows = 0;                   // of y
  Index sums = 0;
};

// The products in the order in which the kernel's workers take them.
struct GemvPlan {
  std::span<const std::byte> panels;  // the tasks'
  std::vector<Gemv> gemv;
  std::vector<GemvRows> row_block;
  Range right;
  Index columns = 0, rows = 0, sums = 0;
};
GemvPlan make_gemv_plan(const GemvTasks& tasks);

}  // namespace trisweep::device
