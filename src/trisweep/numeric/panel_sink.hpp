#pragma once
// The consumer of the factors' panels: takes each as soon as it is final, so that not all are in memory at
// once.

#include "trisweep/numeric/front.hpp"

namespace trisweep::numeric {

template <Scalar T>
class PanelSink {
 public:
  virtual ~PanelSink() = default;

  // Called once for each supernode, by any thread of the factorization; `thread` is its number. The blocks of
  // the panel are in slabs, as in Factors, and become invalid when take() returns; `upper` is empty unless
  // has_upper(kind).
  virtual void take(int thread, const Panel<T>& panel) = 0;
  // Approximate memory of the sink once it has taken all panels.
  virtual std::size_t bytes_expected() const = 0;
};

}  // namespace trisweep::numeric
