#pragma once
// The entries that a matching may take, with their costs.

#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep::ordering {

// Row i may be matched to col[p] at cost[p] >= 0, p in [row_ptr[i], row_ptr[i+1]).
struct Costs {
  std::vector<Offset> row_ptr;
  std::vector<Index> col;
  std::vector<double> cost;
};

}  // namespace trisweep::ordering
