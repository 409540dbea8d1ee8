#pragma once
// A triangular solve by several PEs on a device, as a design shares it: virtual ones of one GPU, GPUs of this
// process that reach each other's memory, or the same source on threads of the host.

#include "studies/pes/pe_runner.hpp"
#include "trisweep/engine/engine.hpp"

namespace trisweep::studies {

struct DevicePeOptions {
  engine::Device device = engine::Device::emulated;
  int threads = 1;  // of the host's, for each PE
  PeLayout layout;
  PeCosts costs;  // of who places the tasks, where the design has several placements
};

template <Scalar T>
class DevicePes {
 public:
  // Throws Error(usage) as programs_of(), for the device cpu and for less than one thread; Error(environment)
  // where there is no such device, or not enough of its memory.
  DevicePes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design, const DevicePeOptions& options);

  // b and x have A's rows; they may be the same memory, and on a GPU in its memory. The report is of all
  // right-hand sides, which are solved one after the other.
  PeReport solve(Vectors<const T> b, Vectors<T> x);

 private:
  bool on_gpu_;
  Index rows_;
  std::unique_ptr<PeRunner<T>> runner_;
};

}  // namespace trisweep::studies
