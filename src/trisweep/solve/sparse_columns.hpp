#pragma once
// A view of sparse right-hand sides in the caller's memory.

#include <span>

#include "trisweep/core/types.hpp"

namespace trisweep::solve {

// Column c has the entries [ptr[c], ptr[c + 1]); `row`: local row number of each. Entries of the same row and
// column are added.
template <Scalar T>
struct SparseColumns {
  std::span<const Offset> ptr;
  std::span<const Index> row;
  std::span<const T> value;

  Index cols() const { return static_cast<Index>(ptr.size()) - 1; }
};

}  // namespace trisweep::solve
