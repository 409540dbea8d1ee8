#pragma once
// Runs the steps of an iterative method on its vectors, on any device.

#include <span>

#include "trisweep/backend/launch.hpp"
#include "trisweep/device/vector_step.hpp"

namespace trisweep::device {

// Counts of the work of one rank's steps so far.
struct StepCounts {
  Offset steps = 0;
  Offset updates = 0;
  Offset products = 0;      // inner products
  Offset copied_bytes = 0;  // of vectors, to the device and back
};

template <Scalar T>
class StepRunner {
 public:
  using Step = VectorStep<NumberOf<T>>;
  using Sum = Summed<NumberOf<T>>;

  // On the current device of a kind; `pool`: its threads run the steps unless the device is a GPU.
  StepRunner(Device device, ThreadPool& pool);

  // Memory space of its vectors: an emulated device counts as a device.
  MemorySpace space() const {
    return queue_.device == Device::native ? MemorySpace::host : MemorySpace::device;
  }
  // Allocates zeroed memory there for `numbers` values. Throws Error(environment).
  DeviceArray<T> allocate(std::size_t numbers) const { return {queue_.device, numbers}; }

  // Copies columns of equally many rows between that memory and the host's. Waits.
  void copy(Vectors<const T> from, Vectors<T> to);
  // Runs steps on vectors with equally many rows. Returns their inner products, step after step, valid until
  // the next call. `poll` is called at least once, and now and then meanwhile, for messages that need
  // progress.
  std::span<const Sum> run(std::span<const Step> steps, const Poll& poll);
  const StepCounts& counts() const { return counts_; }

 private:
  // Returns the number of inner products of the steps.
  Index launch(std::span<const Step> steps, Sum* sums, const Poll& poll);

  Stream stream_;
  Queue queue_;
  DeviceArray<Sum> by_row_block_, sums_, sums_on_host_;
  StepCounts counts_;
};

}  // namespace trisweep::device
