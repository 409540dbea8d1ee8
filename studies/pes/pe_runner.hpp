#pragma once
// Runs the kernel of a design wherever that computes.

#include <memory>

#include "studies/pes/virtual_pes.hpp"

namespace trisweep::studies {

template <Scalar T>
class PeRunner {
 public:
  virtual ~PeRunner() = default;
  // With one right-hand side; b and x may be the same memory. Returns when it has ended. The report: times
  // are those of a clock on the wall, and a PE is idle as long as its warps wait on the mean.
  virtual PeReport solve(Vectors<const T> b, Vectors<T> x) = 0;
};

// `warps` threads for each PE, each of which plays a warp.
template <Scalar T>
std::unique_ptr<PeRunner<T>> run_pes_on_host(PePrograms<T> programs, int warps);
// PEs share GPUs of this process: PE p is on the device p % their number. Built with TRISWEEP_CUDA or
// TRISWEEP_HIP. Throws Error(environment) where devices do not reach each other's memory, or have too little.
template <Scalar T>
std::unique_ptr<PeRunner<T>> run_pes_on_gpus(PePrograms<T> programs, int devices);

// Of a PE with so many warps, in a solve that took `seconds`.
inline PeOutcome outcome_of(const PeControl& control, double seconds, int warps) {
  return {.counts = control.counts,
          .launches = 1,
          .seconds = seconds,
          .idle_seconds = 1e-9 * double(control.waited) / warps};
}

}  // namespace trisweep::studies
