#pragma once
// Solves op(A) x = b with a sparse triangular A on a GPU, or with the GPU kernels emulated on CPU threads.

#include <memory>
#include <optional>

#include "trisweep/backend/launch.hpp"
#include "trisweep/backend/watchdog.hpp"
#include "trisweep/sptrsv/ordered_rows.hpp"
#include "trisweep/sptrsv/row_solver.hpp"
#include "trisweep/sptrsv/row_warp.hpp"

namespace trisweep::sptrsv {

// Options of a DeviceSolver.
struct DeviceSolverOptions {
  backend::Device device = backend::Device::emulated;  // a GPU, or its emulation on the host
  std::string algorithm{automatic};                    // or one of device_algorithms()
  int threads = 1;                                     // of an emulated device
  double watchdog = backend::usual_watchdog;           // seconds without progress after which a solve fails
};

// Results depend, bitwise, only on the number of lanes that share a row.
template <Scalar T>
class DeviceSolver {
 public:
  // Analyzes op(a), where `form` names the triangle of `a`, and copies it to the device; `a` is not
  // referenced afterwards. Throws as lower_system(); Error(usage) for an unknown algorithm or Device::native,
  // or when `a` violates the invariants of Csr; Error(environment) when the device does not exist.
  DeviceSolver(const matrix::Csr<T>& a, Form form, Op op, const DeviceSolverOptions& options);

  // Solves op(A) x = b. b, x: A's rows x nrhs, in host or GPU memory; they may be the same memory. Throws
  // Error(usage) when they do not fit, Error(environment) in this and all later calls when the watchdog's
  // time has passed.
  void solve(Vectors<const T> b, Vectors<T> x);

  // The chosen algorithm.
  const DeviceChoice& choice() const { return choice_; }

 private:
  using Number = backend::NumberOf<T>;

  // The ordered system and the arrays that solves write, in device memory.
  struct Memory {
    OrderedRows<T> rows;
    backend::DeviceArray<const Index> number;
    backend::DeviceArray<const Offset> begin;
    backend::DeviceArray<const Index> column;
    backend::DeviceArray<const T> value, diagonal;
    backend::DeviceArray<T> x;
    backend::DeviceArray<Count> solved;
    backend::DeviceArray<RowControl> control;

    Memory(OrderedRows<T> ordered, backend::Device device);
    RowsView<Number> view() const;
  };
  void solve_columns(Vectors<const T> b, Vectors<T> x);
  // Returns the number of warps launched.
  Count launch(const RowTask<Number>& task) const;

  backend::Device device_;
  double watchdog_;
  DeviceChoice choice_;
  std::unique_ptr<ThreadPool> pool_;  // of an emulated device
  std::optional<Memory> memory_;
  std::optional<backend::VectorCopies<T>> copies_;
  backend::Stall stall_;
  int resident_ = 0;  // resident blocks
  Count solves_ = 0, tickets_ = 0;
};

}  // namespace trisweep::sptrsv
