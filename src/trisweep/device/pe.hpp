#pragma once
// A PE in a solve, as its workers have it.

#include <limits>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/panels.hpp"
#include "trisweep/device/peers.hpp"
#include "trisweep/device/products.hpp"
#include "trisweep/device/residual.hpp"

namespace trisweep::device {

// The caller's rows of b and x, in columns, with what each is multiplied by on its way (null: 1).
// `base`: what x is added to on its way (null: nothing); of a program that measures x, which comes as b: b.
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
  Index end;       // of the items that it runs; all_items: there is no more of them
  Count ended;     // tickets of none that workers have ended launches before with
  Count watchdog;  // nanoseconds in which something must move; 0: any time
  CallersRows<T> caller{};
};

// One PE in a solve: panels that each side has as Side (panels.hpp), vectors of T.
template <class Side, class T, class Peers>
struct Pe {
  using Number = T;

  ProgramView program;
  Side panels[3];
  Peers peers;
  Index messages;  // signals before those of PEs
  typename Peers::Word* counter;
  Count* time;  // when phases began, and behind them when the last item ended: now()
  Index phases;
  WorkRows<T> work;          // with the scratch of the first worker
  std::size_t scratch_size;  // numbers of a worker
  ResidualView<T> measured;  // by a program that does so
  Solve<T> solve;
};

}  // namespace trisweep::device
