#pragma once
// Solves op(A) x = b with a sparse triangular A on a GPU, or with the GPU kernels emulated on CPU threads.

#include <memory>
#include <optional>

#include "trisweep/backend/launch.hpp"
#include "trisweep/sptrsv/ordered_rows.hpp"
#include "trisweep/sptrsv/row_solver.hpp"
#include "trisweep/sptrsv/row_warp.hpp"

namespace trisweep::sptrsv {

struct DeviceSolverOptions {
  backend::Device device = backend::Device::emulated;
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
  using Number = backend::NumberOf<T>;

  // The ordered system, and what solves write, where the kernel has them.
  struct Memory {
    OrderedRows<T> rows;
    backend::DeviceArray<const Index> number;
    backend::DeviceArray<const Offset> begin;
    backend::DeviceArray<const Index> column;
    backend::DeviceArray<const T> value, diagonal;
    backend::DeviceArray<T> x;
    backend::DeviceArray<Count> solved, ticket;

    Memory(OrderedRows<T> ordered, backend::Device device);
    RowsView<Number> view() const;
  };
  void solve_columns(Vectors<const T> b, Vectors<T> x);
  // Returns how many warps run it.
  Count launch(const RowTask<Number>& task) const;

  backend::Device device_;
  DeviceChoice choice_;
  std::unique_ptr<ThreadPool> pool_;  // of an emulated device
  std::optional<Memory> memory_;
  std::optional<backend::VectorCopies<T>> copies_;
  int resident_ = 0;  // blocks
  Count solves_ = 0, tickets_ = 0;
};

}  // namespace trisweep::sptrsv
