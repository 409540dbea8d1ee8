#pragma once
// What a front hands to its parent.

#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/numeric/blas.hpp"

namespace trisweep::numeric {

// A square block with memory of its own: the rows and columns that were delayed, if any, then those that the
// front's last supernode has in the structure. Of fronts that were redone, or whose parent belongs to another
// unit; others have theirs on the stack of a thread.
template <Scalar T>
struct Contribution {
  View<T> view;
  Buffer<T> owned;
  std::vector<Index> delayed_row;  // of A
  std::vector<Index> delayed_col;  // as many; row and column need not be of the same number
};

}  // namespace trisweep::numeric
