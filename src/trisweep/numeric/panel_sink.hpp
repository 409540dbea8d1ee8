#pragma once
// The consumer of the factors' panels: takes each as soon as it is final, so that not all are in memory at
// once.

#include "trisweep/numeric/front.hpp"

namespace trisweep::numeric {

template <Scalar T>
class PanelSink {
 public:
  virtual ~PanelSink() = default;

  // Once for each supernode, from any thread of the factorization, which says which of them it is. The blocks
  // of the panel are as Factors has them, in slabs, and undefined when this returns; `upper` is empty
  // unless has_upper(kind).
  virtual void take(int thread, const Panel<T>& panel) = 0;
  // About what it will hold when it has taken all.
  virtual std::size_t bytes_expected() const = 0;
};

}  // namespace trisweep::numeric
