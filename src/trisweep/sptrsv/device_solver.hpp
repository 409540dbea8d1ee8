#pragma once
// Solves op(A) x = b with a sparse triangular A on a GPU, or with the GPU kernels emulated on CPU threads.

#include "trisweep/sptrsv/row_runner.hpp"
#include "trisweep/sptrsv/row_solver.hpp"

namespace trisweep::sptrsv {

struct DeviceSolverOptions {
  engine::Device device = engine::Device::emulated;
  std::string algorithm{automatic};  // or one of device_algorithms()
  int threads = 1;                   // of an emulated device
};

// Results depend bitwise on the number of lanes that share a row only.
template <Scalar T>
class DeviceSolver {
 public:
  // Throws as lower_system(); Error(usage) for an unknown algorithm or Device::native; Error(environment)
  // when there is no such device.
  DeviceSolver(const matrix::Csr<T>& a, Form form, Op op, const DeviceSolverOptions& options);

  // b, x: A's rows x nrhs, in host memory or the GPU's; they may be the same memory.
  void solve(Vectors<const T> b, Vectors<T> x);

  const DeviceChoice& choice() const { return choice_; }

 private:
  bool on_gpu_;
  DeviceChoice choice_;
  std::unique_ptr<RowRunner<T>> runner_;
};

}  // namespace trisweep::sptrsv
