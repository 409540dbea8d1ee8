#pragma once
// Panels and vectors of products with small panels in the memory of a GPU. By nvcc or hipcc.

#include "trisweep/device/gemv_runner.hpp"
#include "trisweep/device/gpu_kernel.hpp"

namespace trisweep::device {

template <Scalar T>
class GpuGemv : public KernelRunner<T> {
 public:
  // `slack`: numbers behind x and the sums that panels may read.
  GpuGemv(const GemvPlan& plan, std::span<const std::byte> panels, Index slack = 0)
      : columns_(usize(plan.columns)),
        panels_(panels),
        gemv_(std::span<const Gemv>(plan.gemv)),
        row_block_(std::span<const GemvRows>(plan.row_block)),
        x_(usize(plan.columns + slack)),
        sums_(usize(plan.sums + slack)),
        y_(usize(plan.rows)),
        control_(1),
        view_{.panels = panels_.data(),
              .gemv = {gemv_.data(), static_cast<Index>(gemv_.size())},
              .row_block = {row_block_.data(), static_cast<Index>(row_block_.size())},
              .right = plan.right,
              .x = reinterpret_cast<const Number*>(x_.data()),
              .sums = reinterpret_cast<Number*>(sums_.data()),
              .y = reinterpret_cast<Number*>(y_.data()),
              .control = control_.data()} {}

  void copy(const T* from, T* to, std::size_t count) const override { device::copy(to, from, count); }

 protected:
  using Number = NumberOf<T>;

  GemvView<Number>& view() { return view_; }
  void clear_result() {
    check(TRISWEEP_GPU(Memset)(y_.data(), 0, y_.size() * sizeof(T)), "clearing a vector");
  }

 private:
  void bring_in(const T* x) override { copy(x, x_.data(), columns_); }
  void bring_out(T* y) override { copy(y_.data(), y, y_.size()); }

  std::size_t columns_;  // of x, before the slack
  DeviceArray<std::byte> panels_;
  DeviceArray<Gemv> gemv_;
  DeviceArray<GemvRows> row_block_;
  DeviceArray<T> x_, sums_, y_;
  DeviceArray<GemvControl> control_;
  GemvView<Number> view_;
};

}  // namespace trisweep::device
