#pragma once
// op(A) x = b with a sparse triangular A on a device: a GPU, or the same source on threads of the host.

#include "trisweep/sptrsv/row_runner.hpp"
#include "trisweep/sptrsv/row_solver.hpp"

namespace trisweep::sptrsv {

struct DeviceSolverOptions {
  engine::Device device = engine::Device::emulated;
  std::string algorithm{automatic};  // or one of device_algorithms()
  int threads = 1;                   // of the host's
};

// A solve's result depends on the lanes that share a row, and on nothing else, to the last bit.
template <Scalar T>
class DeviceSolver {
 public:
  // Errors as of lower_system(); Error(usage) for an unknown algorithm, or the device cpu; Error(environment)
  // where there is no such device.
  DeviceSolver(const matrix::Csr<T>& a, Form form, Op op, const DeviceSolverOptions& options);

  // b and x have A's rows; they may be the same memory, and on a GPU in its memory.
  void solve(Vectors<const T> b, Vectors<T> x);

  const DeviceChoice& choice() const { return choice_; }

 private:
  bool on_gpu_;
  DeviceChoice choice_;
  std::unique_ptr<RowRunner<T>> runner_;
};

}  // namespace trisweep::sptrsv
