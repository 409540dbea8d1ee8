#pragma once
// Vectors of an iterative method and the steps that work on them: by threads of the host, or on a GPU from
// the same source.

#include <functional>
#include <memory>
#include <span>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vectors.hpp"
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

  virtual ~StepRunner() = default;
  // Where its vectors are.
  virtual MemorySpace space() const = 0;
  // Room for so many numbers there, zeroed. Throws Error(environment).
  virtual std::shared_ptr<T> allocate(std::size_t numbers) = 0;

  // Columns of as many rows between that memory and the host's. Waits.
  void copy(Vectors<const T> from, Vectors<T> to) {
    for (Index c = 0; c < from.cols; ++c) copy_numbers(from.column(c), to.column(c), usize(from.rows));
    counts_.copied_bytes += Offset{from.rows} * from.cols * static_cast<Offset>(sizeof(T));
  }
  // All steps. Returns their inner products, step after step, until the next call. `poll` is called at least
  // once, and now and then meanwhile: for messages that are to move.
  std::span<const Sum> run(std::span<const Step> steps, const std::function<void()>& poll) {
    for (const Step& step : steps) {
      ++counts_.steps;
      counts_.updates += step.updates;
      counts_.products += step.products;
    }
    return run_all(steps, poll);
  }
  const StepCounts& counts() const { return counts_; }

 protected:
  virtual void copy_numbers(const T* from, T* to, std::size_t count) = 0;
  virtual std::span<const Sum> run_all(std::span<const Step> steps, const std::function<void()>& poll) = 0;

 private:
  StepCounts counts_;
};

// `space`: device, where that stands for a GPU. The thread pool outlives it.
template <Scalar T>
std::unique_ptr<StepRunner<T>> run_steps_on_host(ThreadPool& pool, MemorySpace space = MemorySpace::host);

// On the current device. Built with TRISWEEP_CUDA or TRISWEEP_HIP; throws Error(environment).
template <Scalar T>
std::unique_ptr<StepRunner<T>> run_steps_on_gpu();

}  // namespace trisweep::device
