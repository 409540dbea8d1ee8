#pragma once
// Arguments for running the phases of one solve.

#include <optional>
#include <span>

#include "trisweep/engine/recorder.hpp"
#include "trisweep/engine/tiny_panels.hpp"
#include "trisweep/engine/vector_moves.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/mpi/transport.hpp"

namespace trisweep::engine {

template <Scalar T>
struct Run {
  kernels::Work<T> work;  // of thread 0
  mpi::Transport& transport;
  mpi::Watchdog& watchdog;
  Recorder* recorder;                  // may be null
  std::span<const TinyShapes> shapes;  // by phase
  CallersVectors<T> vectors{};
};

template <Scalar T>
T* rows_at(const kernels::Work<T>& work, plan::WorkRow row) {
  return work.at(row.value());
}

// Waits for one of the phase's messages and receives it; describe() tells what is waited for.
template <Scalar T, class Describe>
void receive(Index number, std::span<T> packed, const Run<T>& run, const Describe& describe) {
  std::optional<mpi::Arrival> arrival;
  run.watchdog.reset();
  while (!(arrival = run.transport.poll(number))) run.watchdog.backoff(describe);
  run.transport.receive(*arrival, packed.data(), packed.size_bytes());
}

}  // namespace trisweep::engine
