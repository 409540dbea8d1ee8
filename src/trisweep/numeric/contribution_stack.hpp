#pragma once
// Memory for contribution blocks, allocated once. Fronts of even and odd depth use the two ends: a front's
// own block can then be placed while its children's are still there, and each end is popped in the reverse
// order of its pushes, without ever moving a block.

#include <utility>

#include "trisweep/core/buffer.hpp"

namespace trisweep::numeric {

template <Scalar T>
class ContributionStack {
 public:
  explicit ContributionStack(Offset entries)
      : memory_(usize(entries), "the contribution blocks of the factorization", BufferUse::temporary),
        top_(usize(entries)) {}

  // `end`: parity of the front's depth. The caller guarantees the capacity (FrontTree::stack).
  T* push(Offset entries, Index end) {
    if (end % 2 == 0) return memory_.data() + std::exchange(bottom_, bottom_ + usize(entries));
    return memory_.data() + (top_ -= usize(entries));
  }

  void pop(Offset entries, Index end) {
    if (end % 2 == 0) {
      bottom_ -= usize(entries);
    } else {
      top_ += usize(entries);
    }
  }

 private:
  Buffer<T> memory_;
  std::size_t bottom_ = 0;
  std::size_t top_;
};

}  // namespace trisweep::numeric
