#pragma once
// Refinement by an engine of devices: a step is two launches, of the plan, which adds its solution to x on
// its way out, and of a program that measures the sum.

#include <functional>

#include "trisweep/engine/program_runner.hpp"
#include "trisweep/engine/refinement.hpp"

namespace trisweep::engine {

// Memory of a device, of the host where that is the device. Throws Error(environment) when it does not
// suffice.
std::shared_ptr<std::byte> memory_of(Device device, std::size_t bytes);

// Between memories of the host and of that device, in a stream, which is waited for.
template <class T>
void copy_columns(Device device, Vectors<T> to, Vectors<const std::type_identity_t<T>> from, void* stream);

// The arrays that a device refines with: columns of `rows`.
template <Scalar T>
struct RefinementVectors {
  Device device;
  Index rows;
  std::shared_ptr<std::byte> b, x, other, residual, magnitude;

  RefinementVectors(Device device, Index rows, Index nrhs);

  Vectors<T> of(const std::shared_ptr<std::byte>& array, Index nrhs) const {
    return {reinterpret_cast<T*>(array.get()), rows, nrhs, rows,
            device == Device::emulated ? MemorySpace::host : MemorySpace::device};
  }
};

template <Scalar T>
class DeviceRefinement final : public Refinement<T> {
 public:
  // x = base + op(L D U)^-1 b (no base: 0), all of them on the device.
  using Solve = std::function<void(Vectors<const T> b, Vectors<T> x, Vectors<const T> base, void* stream)>;

  // `measuring`: runs the program whose first row of what it finds is `verdict`.
  DeviceRefinement(RefinementVectors<T> vectors, std::unique_ptr<RunningProgram<T>> measuring, Solve solve)
      : vectors_(std::move(vectors)), measuring_(std::move(measuring)), solve_(std::move(solve)) {}

  std::vector<ResidualNorms> start(Vectors<const T> b, void* stream) override;
  std::vector<ResidualNorms> correct() override;
  void take(std::span<const Index> columns) override;
  std::vector<ResidualNorms> measure() override { return measured(vectors_.x); }
  void read(Vectors<T> x) const override;

 private:
  Vectors<T> of(const std::shared_ptr<std::byte>& array) const { return vectors_.of(array, nrhs_); }
  std::vector<ResidualNorms> measured(const std::shared_ptr<std::byte>& answer);

  RefinementVectors<T> vectors_;
  std::unique_ptr<RunningProgram<T>> measuring_;
  Solve solve_;
  Index nrhs_ = 0;
  void* stream_ = nullptr;
  Vectors<const T> b_;
};

}  // namespace trisweep::engine
