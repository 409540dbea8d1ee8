#pragma once
// What a front hands to its parent.

#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/numeric/blas.hpp"

namespace trisweep::numeric {

// A square block: the rows and columns that were delayed, if any, then those that the front's last supernode
// has in the structure. It lies on the stack of a thread, or in memory of its own: where it crosses from one
// unit to another, and when a front was redone (whose place on the stack is then left unused).
template <Scalar T>
struct Contribution {
  View<T> view;
  Buffer<T> owned;
  bool on_stack = false;
  std::vector<Index> delayed_row;  // of A
  std::vector<Index> delayed_col;  // as many; row and column need not be of the same number
};

}  // namespace trisweep::numeric
