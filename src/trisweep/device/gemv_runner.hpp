#pragma once
// Runs products with many small panels on any device.

#include <memory>

#include "trisweep/backend/launch.hpp"
#include "trisweep/backend/watchdog.hpp"
#include "trisweep/device/gemv_plan.hpp"

namespace trisweep::device {

template <Scalar T>
class GemvRunner {
 public:
  virtual ~GemvRunner() = default;
  // y = A x, the sum over all panels; x has the plan's columns, y its rows, in host memory or in that of the
  // kernels. Waits for the result.
  virtual void multiply(Vectors<const T> x, Vectors<T> y) = 0;
  // Copies between these memories. Waits.
  virtual void copy(const T* from, T* to, std::size_t count) const = 0;
};

// A runner with panels and vectors of its own in the kernels' memory, on the current device of a kind.
template <Scalar T>
class KernelRunner : public GemvRunner<T> {
 public:
  using Number = NumberOf<T>;

  // The panels and the thread pool, whose threads are the workers of an emulated device, must outlive this
  // object. `slack`: number of values behind x and behind the sums that panels may read. Throws
  // Error(environment).
  KernelRunner(GemvPlan plan, Device device, ThreadPool& pool, Index slack = 0)
      : plan_(std::move(plan)),
        queue_{device, &pool, nullptr},
        panels_(device, plan_.panels),
        gemv_(device, std::span(std::as_const(plan_.gemv))),
        row_block_(device, std::span(std::as_const(plan_.row_block))),
        x_(device, usize(plan_.columns + slack)),
        sums_(device, usize(plan_.sums + slack)),
        y_(device, usize(plan_.rows)),
        control_(device, 1) {}

  void multiply(Vectors<const T> x, Vectors<T> y) final {
    for (Index c = 0; c < x.cols; ++c) {
      copy(x.column(c), x_.data(), usize(plan_.columns));
      run();
      copy(y_.data(), y.column(c), y_.size());
    }
  }
  void copy(const T* from, T* to, std::size_t count) const final {
    backend::copy(queue_.device, to, from, count);
  }
  // Computes the product with the vectors of this object, without copies. Waits.
  virtual void run() = 0;

 protected:
  const Queue& queue() const { return queue_; }
  GemvView<Number> view() const {
    return {.panels = panels_.data(),
            .gemv = {gemv_.data(), static_cast<Index>(gemv_.size())},
            .row_block = {row_block_.data(), static_cast<Index>(row_block_.size())},
            .right = plan_.right,
            .x = reinterpret_cast<const Number*>(x_.data()),
            .sums = reinterpret_cast<Number*>(sums_.data()),
            .y = reinterpret_cast<Number*>(y_.data()),
            .control = control_.data()};
  }
  void clear_result() const { runtime(queue_.device).clear(y_.data(), y_.size() * sizeof(T), queue_.stream); }
  void wait() const { runtime(queue_.device).wait(queue_.stream); }

 private:
  GemvPlan plan_;
  Queue queue_;
  DeviceArray<const std::byte> panels_;
  DeviceArray<const Gemv> gemv_;
  DeviceArray<const GemvRows> row_block_;
  DeviceArray<T> x_, sums_, y_;
  DeviceArray<GemvControl> control_;
};

// Computes the product by one persistent kernel.
template <Scalar T>
class MergedGemv final : public KernelRunner<T> {
 public:
  MergedGemv(GemvPlan plan, Device device, ThreadPool& pool)
      : KernelRunner<T>(std::move(plan), device, pool),
        workers_(backend::resident_blocks<MergedProduct<NumberOf<T>>>(this->queue())),
        stall_(device) {}

  void run() override {
    const MergedProduct<NumberOf<T>> product{this->view(), static_cast<Count>(workers_), ++products_};
    backend::launch_together(this->queue(), product, workers_);
    stall_.record(&product.v.control->stalled, this->queue().stream);
    this->wait();
    stall_.require_none("row");
  }

 private:
  int workers_;
  backend::Stall stall_;
  Count products_ = 0;
};

}  // namespace trisweep::device
