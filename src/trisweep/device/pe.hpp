#pragma once
// A PE in a solve, as its workers see it.

#include <limits>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/panels.hpp"
#include "trisweep/device/peers.hpp"
#include "trisweep/device/products.hpp"
#include "trisweep/device/residual.hpp"

namespace trisweep::device {

// The caller's rows of b and x, column-major, with scaling factors of rows (null: 1). `base`: a vector to
// which x is added when it is written (null: none). A program that measures residuals gets x as `b`, and b as
// `base`.
template <class T>
struct CallersRows {
  const T* b = nullptr;
  Offset b_ld = 0;
  const RealPart<T>* b_scale = nullptr;
  T* x = nullptr;
  Offset x_ld = 0;
  const RealPart<T>* x_scale = nullptr;
  const T* base = nullptr;
  Offset base_ld = 0;
};

template <Scalar T>
CallersRows<NumberOf<T>> callers_rows(Vectors<const T> b, const RealOf<T>* b_scale, Vectors<T> x,
                                      const RealOf<T>* x_scale, Vectors<const T> base = {}) {
  using Number = NumberOf<T>;
  return {.b = reinterpret_cast<const Number*>(b.data),
          .b_ld = b.ld,
          .b_scale = b_scale,
          .x = reinterpret_cast<Number*>(x.data),
          .x_ld = x.ld,
          .x_scale = x_scale,
          .base = reinterpret_cast<const Number*>(base.data),
          .base_ld = base.ld};
}

inline constexpr Index all_items = std::numeric_limits<Index>::max();

// A launch of a solve, the `number`-th of its program, from 1.
template <class T>
struct Solve {
  Index nrhs;
  Count number;
  Index end;       // end of the items that it runs; all_items: it is the last launch
  Count ended;     // tickets beyond the last item, taken in earlier launches
  Count watchdog;  // nanoseconds without progress after which it fails; 0: never
  CallersRows<T> caller{};
};

// One PE in a solve: panels, stored as Side (panels.hpp), and vectors of T.
template <class Side, class T, class Peers>
struct Pe {
  using Number = T;

  ProgramView program;
  Side panels[3];
  Peers peers;
  Index messages;  // number of signals of messages, which precede those of PEs
  typename Peers::Word* counter;
  Count* time;  // when each phase began, and then when the last item ended: now()
  Index phases;
  WorkRows<T> work;          // with the scratch of its first worker
  std::size_t scratch_size;  // values per worker
  ResidualView<T> measured;  // for a program that measures residuals
  Solve<T> solve;
};

}  // namespace trisweep::device
