#pragma once
// Vectors of an iterative method and the steps that work on them, on any device.

#include <span>

#include "trisweep/backend/launch.hpp"
#include "trisweep/device/vector_step.hpp"

namespace trisweep::device {

// What the steps of one rank took, so far.
struct StepCounts {
  Offset steps = 0;
  Offset updates = 0;
  Offset products = 0;      // inner ones
  Offset copied_bytes = 0;  // of vectors, to the device and back
};

template <Scalar T>
class StepRunner {
 public:
  using Step = VectorStep<NumberOf<T>>;
  using Sum = Summed<NumberOf<T>>;

  // On the current device of that kind; `pool`: whose threads run the steps unless that is a GPU.
  StepRunner(Device device, ThreadPool& pool);

  // Where its vectors are: of an emulated device as of a GPU.
  MemorySpace space() const {
    return queue_.device == Device::native ? MemorySpace::host : MemorySpace::device;
  }
  // Room for so many numbers there, zeroed. Throws Error(environment).
  DeviceArray<T> allocate(std::size_t numbers) const { return {queue_.device, numbers}; }

  // Columns of as many rows between that memory and the host's. Waits.
  void copy(Vectors<const T> from, Vectors<T> to);
  // All steps, of as many rows. Returns their inner products, step after step, until the next call. `poll` is
  // called at least once, and now and then meanwhile: for messages that are to move.
  std::span<const Sum> run(std::span<const Step> steps, const Poll& poll);
  const StepCounts& counts() const { return counts_; }

 private:
  // Returns how many inner products they have.
  Index launch(std::span<const Step> steps, Sum* sums, const Poll& poll);

  Stream stream_;
  Queue queue_;
  DeviceArray<Sum> by_row_block_, sums_, sums_on_host_;
  StepCounts counts_;
};

}  // namespace trisweep::device
