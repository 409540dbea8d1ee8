#pragma once
// Runs the phases of a plan on the host, one thread per rank (2018 paper, Algorithm 2, generalized: the same
// loop serves both directions, both sides and all ops, because all of that is in the plan).

#include <vector>

#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/plan/plan.hpp"
#include "trisweep/solve/panel_store.hpp"
#include "trisweep/transport/two_sided.hpp"

namespace trisweep::solve {

// What a rank did in one phase or solve.
struct Activity {
  double seconds = 0;
  double floating_point_seconds = 0;
  Offset messages_sent = 0;
  Offset bytes_sent = 0;
  Offset messages_received = 0;
  Offset bytes_received = 0;

  Activity& operator+=(const Activity& other);
};

template <Scalar T>
class SweepExecutor {
 public:
  SweepExecutor(const distribution::Share& share, const PanelStore<T>& panels)
      : share_(share), panels_(panels) {}

  // Makes room for the counters of `phase`, so that run() does not allocate.
  void reserve(const plan::SweepPhase& phase);
  Activity run(const plan::SweepPhase& phase, Index channel, const kernels::Work<T>& work,
               transport::TwoSided& transport);
  Activity run(const plan::DiagonalPhase& phase, const kernels::Work<T>& work);
  // Messages with ranks of other layers go through `comm`, packed in `buffer`, which has room for the
  // largest.
  Activity run(const plan::ExchangePhase& phase, const kernels::Work<T>& work,
               const transport::Communicator& comm, std::span<T> buffer);

 private:
  struct Sweep;  // one run of a sweep phase

  const distribution::Share& share_;
  const PanelStore<T>& panels_;
  std::vector<Index> pending_;  // by segment
  std::vector<Index> waits_;    // by task
  std::vector<Index> ready_;    // heap of runnable tasks, first in priority on top
};

}  // namespace trisweep::solve
