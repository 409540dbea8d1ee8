#pragma once
// Sparse right-hand sides, in memory of the caller: a view.

#include <span>

#include "trisweep/core/types.hpp"

namespace trisweep::solve {

// Column c has the entries [ptr[c], ptr[c + 1]), each with the number of its row among this rank's; entries
// of the same row and column are added. Empty: no columns.
template <Scalar T>
struct SparseColumns {
  std::span<const Offset> ptr;
  std::span<const Index> row;
  std::span<const T> value;

  Index cols() const { return static_cast<Index>(ptr.size()) - 1; }
};

}  // namespace trisweep::solve
