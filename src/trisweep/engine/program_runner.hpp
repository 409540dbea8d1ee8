#pragma once
// Runs the program of a rank wherever that computes: all that a DeviceEngine leaves to the kind of device.

#include "trisweep/device/make_program.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/engine/vector_moves.hpp"

namespace trisweep::engine {

// A program, connected to those of the other ranks, as one rank has it. Everything in it outlives the runner.
template <Scalar T>
struct RankProgram {
  const RankSystem<T>& system;
  device::Program& program;
  Index nrhs;                // at most
  double watchdog;           // seconds
  CallersVectors<T> scales;  // of the op's right-hand sides and solutions
};

template <Scalar T>
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;

  // A solve, from b to x; in `stream`, where devices have such (null: their usual one). May return before it
  // has ended, when b and x are in the device's memory. Throws alone when this rank has failed.
  virtual void start(const CallersVectors<T>& vectors, void* stream) = 0;
  // Until all that was started there has ended. Throws Error(environment) that says what was waited for when
  // nothing moved for too long.
  virtual void wait(void* stream) = 0;
  // When the phases of the last solve began, and behind them its end: nanoseconds, 0 for one without items.
  virtual std::span<const device::Count> times() const = 0;
  virtual void panels_changed() = 0;
};

// On threads of the host. Collective. Throws Error(usage) when ranks are on several nodes.
template <Scalar T>
std::unique_ptr<ProgramRunner<T>> run_on_host(const RankProgram<T>& of);

}  // namespace trisweep::engine
