#pragma once
// Refinement on a device. Each step takes two launches: of the plan, which adds its solution to x as it
// writes it, and of a program that measures the residual of the sum.

#include <functional>

#include "trisweep/engine/program_runner.hpp"
#include "trisweep/engine/refinement.hpp"

namespace trisweep::engine {

// The arrays of a refinement on a device: columns of `rows` values.
template <Scalar T>
struct RefinementVectors {
  Device device;
  Index rows;
  backend::DeviceArray<T> b, x, other, residual;
  backend::DeviceArray<RealOf<T>> magnitude;

  // Throws Error(environment) when memory does not suffice.
  RefinementVectors(Device device, Index rows, Index nrhs);

  // Copies between memories of the host and of the device, in a stream. Host memory may be reused when this
  // returns; pinned memory only when the stream has completed the copy.
  void copy(Vectors<T> to, Vectors<const T> from, void* stream) const;
  Vectors<T> of(const backend::DeviceArray<T>& array, Index nrhs) const {
    return {array.data(), rows, nrhs, rows, is_gpu(device) ? MemorySpace::device : MemorySpace::host};
  }
};

template <Scalar T>
class DeviceRefinement final : public Refinement<T> {
 public:
  // Starts x = base + op(L D U)^-1 b (no base: 0), all of them on the device.
  using Solve = std::function<void(Vectors<const T> b, Vectors<T> x, Vectors<const T> base, void* stream)>;
  // Throws if the solve has failed; called after later work in its stream was waited for.
  using Confirm = std::function<void()>;

  // `measuring`: runs the program that measures residuals.
  DeviceRefinement(RefinementVectors<T> vectors, std::unique_ptr<RunningProgram<T>> measuring, Solve solve,
                   Confirm confirm)
      : vectors_(std::move(vectors)),
        measuring_(std::move(measuring)),
        solve_(std::move(solve)),
        confirm_(std::move(confirm)) {}

  std::vector<ResidualNorms> start(Vectors<const T> b, void* stream) override;
  std::vector<ResidualNorms> correct() override;
  void take(std::span<const Index> columns) override;
  std::vector<ResidualNorms> measure() override { return measured(vectors_.x); }
  void read(Vectors<T> x) const override;

 private:
  Vectors<T> of(const backend::DeviceArray<T>& array) const { return vectors_.of(array, nrhs_); }
  std::vector<ResidualNorms> measured(const backend::DeviceArray<T>& answer);

  RefinementVectors<T> vectors_;
  std::unique_ptr<RunningProgram<T>> measuring_;
  Solve solve_;
  Confirm confirm_;
  Index nrhs_ = 0;
  void* stream_ = nullptr;
  Vectors<const T> b_;
};

}  // namespace trisweep::engine
