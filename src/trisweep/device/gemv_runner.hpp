#pragma once
// Runs a plan of products of small panels: on threads of the host, from the source of the GPUs' kernels, or
// on a GPU.

#include <memory>

#include "trisweep/core/crew.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/device/gemv_plan.hpp"

namespace trisweep::device {

template <Scalar T>
class GemvRunner {
 public:
  virtual ~GemvRunner() = default;
  // y = A x, the sum of all panels; x, y: in the host's memory or that of the kernels, of the plan's columns
  // and rows. Waits.
  void multiply(Vectors<const T> x, Vectors<T> y) {
    for (Index c = 0; c < x.cols; ++c) {
      bring_in(x.column(c));
      run();
      bring_out(y.column(c));
    }
  }
  // The product alone, with vectors where the kernels have them.
  virtual void run() = 0;
  // Between these memories. Waits.
  virtual void copy(const T* from, T* to, std::size_t count) const = 0;

 protected:
  virtual void bring_in(const T* x) = 0;
  virtual void bring_out(T* y) = 0;
};

// The panels that are not padded, and the crew, outlive it. A launch is a round of the crew; a worker of the
// merged kernel is one of its threads. Streams have no meaning.
template <Scalar T>
std::unique_ptr<GemvRunner<T>> run_gemv_on_host(GemvPlan plan, Crew& crew);

// On the current device, to whose memory the panels are copied. Built with TRISWEEP_CUDA or TRISWEEP_HIP;
// throws Error(environment).
template <Scalar T>
std::unique_ptr<GemvRunner<T>> run_gemv_on_gpu(GemvPlan plan);

}  // namespace trisweep::device
