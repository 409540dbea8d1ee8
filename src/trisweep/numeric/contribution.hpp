#pragma once
// The contribution block that a front passes to its parent.

#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/numeric/blas.hpp"

namespace trisweep::numeric {

// A square contribution block with memory of its own: the delayed rows and columns, if any, then those that
// the front's last supernode has in the structure. Used for redone fronts and for fronts whose parent belongs
// to another unit; the blocks of all other fronts lie on a thread's stack.
template <Scalar T>
struct Contribution {
  View<T> view;
  Buffer<T> owned;
  std::vector<Index> delayed_row;  // rows of A
  std::vector<Index> delayed_col;  // as many columns; delayed_row[i] and delayed_col[i] may differ
};

}  // namespace trisweep::numeric
