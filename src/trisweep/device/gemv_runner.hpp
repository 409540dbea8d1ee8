#pragma once
// Runs products with many small panels: on threads of the host, from the source of the GPUs' kernels, or on a
// GPU.

#include <memory>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/device/gemv_plan.hpp"

namespace trisweep::device {

template <Scalar T>
class GemvRunner {
 public:
  virtual ~GemvRunner() = default;
  // y = A x, the sum of all panels; x, y: in the host's memory or that of the kernels, of the plan's columns
  // and rows. Waits.
  virtual void multiply(Vectors<const T> x, Vectors<T> y) = 0;
  // Between these memories. Waits.
  virtual void copy(const T* from, T* to, std::size_t count) const = 0;
};

// One that has vectors of its own where the kernels are.
template <Scalar T>
class KernelRunner : public GemvRunner<T> {
 public:
  void multiply(Vectors<const T> x, Vectors<T> y) final {
    for (Index c = 0; c < x.cols; ++c) {
      bring_in(x.column(c));
      run();
      bring_out(y.column(c));
    }
  }
  // The product alone, with these vectors.
  virtual void run() = 0;

 protected:
  virtual void bring_in(const T* x) = 0;
  virtual void bring_out(T* y) = 0;
};

// The panels and the thread pool outlive it. A worker of the kernel is one of the thread pool's threads.
template <Scalar T>
std::unique_ptr<KernelRunner<T>> run_gemv_on_host(GemvPlan plan, ThreadPool& pool);

// On the current device, to whose memory the panels are copied. Built with TRISWEEP_CUDA or TRISWEEP_HIP;
// throws Error(environment).
template <Scalar T>
std::unique_ptr<KernelRunner<T>> run_gemv_on_gpu(GemvPlan plan);

}  // namespace trisweep::device
