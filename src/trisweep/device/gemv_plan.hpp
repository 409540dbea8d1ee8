#pragma once
// Products with many small panels, as a list.

#include <span>
#include <vector>

#include "trisweep/device/gemv.hpp"

namespace trisweep::device {

// All of a process.
struct GemvTasks {
  std::span<const std::byte> panels;
  std::vector<Gemv> right;          // sums_of_x
  std::vector<Gemv> left;           // row block by row block, the dense ones of each first
  std::vector<GemvRows> row_block;  // of `left`
  Index columns = 0;                // of x
  Index rows = 0;                   // of y
  Index sums = 0;
};

// In the order in which workers of the kernel take them.
struct GemvPlan {
  std::span<const std::byte> panels;  // the tasks'
  std::vector<Gemv> gemv;
  std::vector<GemvRows> row_block;
  Range right;
  Index columns = 0, rows = 0, sums = 0;
};
GemvPlan make_gemv_plan(const GemvTasks& tasks);

}  // namespace trisweep::device
