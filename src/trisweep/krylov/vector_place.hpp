#pragma once
// The memory of a Krylov method's vectors: the host's or a device's. Operators that cannot reach a device's
// memory, such as most preconditioners, get copies in host memory.

#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::krylov {

template <Scalar T>
class VectorPlace {
 public:
  // For vectors of `rows` rows and `cols` columns. `runner`: null for the host's threads. Throws.
  VectorPlace(const mpi::ParallelContext& context, device::StepRunner<T>* runner, Index rows, Index cols)
      : context_(context),
        own_runner_(runner == nullptr
                        ? std::make_unique<device::StepRunner<T>>(backend::Device::native, context.pool)
                        : nullptr),
        runner_(runner == nullptr ? *own_runner_ : *runner),
        rows_(rows),
        cols_(cols) {
    if (on_device())
      for (std::vector<T>& staged : staged_) staged.resize(numbers());
  }

  device::StepRunner<T>& runner() const { return runner_; }
  bool on_device() const { return runner_.space() == MemorySpace::device; }

  // Allocates zero vectors. Throws.
  Vectors<T> room() {
    memory_.push_back(runner_.allocate(numbers()));
    return {memory_.back().data(), rows_, cols_, rows_, runner_.space()};
  }
  // Returns host vectors as steps need them: themselves, or a copy on the device. Throws.
  template <class Number>
  Vectors<Number> brought(Vectors<Number> v) {
    if (!on_device()) return v;
    const Vectors<T> copy = room();
    runner_.copy(v, copy);
    return copy;
  }
  // Copies the result back to the host's vectors `to`, if they were copied.
  void take_back(Vectors<const T> v, Vectors<T> to) const {
    if (on_device()) runner_.copy(v, to);
  }

  // y = op x.
  void apply(const Operator<T>& op, Vectors<const T> x, Vectors<T> y) const {
    apply(op, x, y, [&](Vectors<const T> from, Vectors<T> to) { op(from, to); });
  }
  void apply(const Operator<T>& op, Vectors<const T> x, Vectors<T> y, const Meanwhile& work) const {
    apply(op, x, y, [&](Vectors<const T> from, Vectors<T> to) { op(from, to, work); });
  }

  std::vector<double> max_norms(Vectors<const T> v) const {
    if (on_device()) {
      runner_.copy(v, staged(0));
      v = staged(0);
    }
    return krylov::max_norms<T>(context_, v);
  }

 private:
  std::size_t numbers() const { return usize(rows_) * usize(cols_); }
  Vectors<T> staged(std::size_t which) const { return {staged_[which].data(), rows_, cols_}; }

  template <class Apply>
  void apply(const Operator<T>& op, Vectors<const T> x, Vectors<T> y, const Apply& apply) const {
    if (!on_device() || op.reaches_device()) return apply(x, y);
    runner_.copy(x, staged(0));
    apply(staged(0), staged(1));
    runner_.copy(staged(1), y);
  }

  const mpi::ParallelContext& context_;
  const std::unique_ptr<device::StepRunner<T>> own_runner_;
  device::StepRunner<T>& runner_;
  const Index rows_, cols_;
  std::vector<backend::DeviceArray<T>> memory_;
  mutable std::array<std::vector<T>, 2> staged_;  // in host memory: the factor and the product
};

}  // namespace trisweep::krylov
