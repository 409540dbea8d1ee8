#pragma once
// Vectors of products with small panels as a device has them, in the host's memory.

#include <algorithm>

#include "trisweep/core/buffer.hpp"
#include "trisweep/device/gemv_runner.hpp"

namespace trisweep::device {

template <Scalar T>
class HostGemv : public KernelRunner<T> {
 public:
  // `slack`: numbers behind x and the sums that panels may read.
  HostGemv(const GemvPlan& plan, ThreadPool& pool, Index slack = 0)
      : pool_(pool),
        columns_(usize(plan.columns)),
        x_(zeros<T>(usize(plan.columns + slack), "x as a device has it")),
        sums_(zeros<T>(usize(plan.sums + slack), "the sums of low-rank blocks")),
        y_(zeros<T>(usize(plan.rows), "y as a device has it")) {}

  void copy(const T* from, T* to, std::size_t count) const override { std::copy_n(from, count, to); }

 protected:
  using Number = NumberOf<T>;

  GemvView<Number> view_of(const GemvPlan& plan, std::span<const std::byte> panels) {
    const auto array = []<class A>(const std::vector<A>& list) {
      return ArrayView<A>{list.data(), static_cast<Index>(list.size())};
    };
    return {.panels = panels.data(),
            .gemv = array(plan.gemv),
            .row_block = array(plan.row_block),
            .right = plan.right,
            .x = reinterpret_cast<const Number*>(x_.data()),
            .sums = reinterpret_cast<Number*>(sums_.data()),
            .y = reinterpret_cast<Number*>(y_.data()),
            .control = &control_};
  }
  void clear_result() { std::fill_n(y_.data(), y_.size(), T{}); }
  ThreadPool& pool() { return pool_; }

 private:
  void bring_in(const T* x) override { copy(x, x_.data(), columns_); }
  void bring_out(T* y) override { copy(y_.data(), y, y_.size()); }

  ThreadPool& pool_;
  std::size_t columns_;  // of x, before the slack
  Buffer<T> x_, sums_, y_;
  GemvControl control_;
};

}  // namespace trisweep::device
