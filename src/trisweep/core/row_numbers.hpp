#pragma once
// How messages name a row or column: by the caller's own number, wherever that row has been moved to.

#include <span>

#include "trisweep/core/types.hpp"

namespace trisweep {

struct RowNumbers {
  std::span<const Index> number{};  // by row; empty: every row is where the caller has it
  Index first = 0;                  // without numbers: the number of row 0

  Index operator()(Index row) const { return number.empty() ? first + row : number[usize(row)]; }
};

}  // namespace trisweep
