#pragma once
// Products of one process's rows of an H-matrix on its devices, launched in any way: on GPUs or, from the
// same source, threads of the host. Several share the panels (launch_plan.hpp), have all of x each, and sum
// what they have of y; those that are not there are virtual, and take turns.

#include "studies/himv/launch_runner.hpp"
#include "studies/himv/transfers.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"

namespace trisweep::studies {

struct DeviceProductOptions {
  backend::Device device = backend::Device::native;  // of which the rest has no meaning
  GemvOptions gemv{.merged = true};
  Index gpus = 1;  // of each process
  Way way = Way::peer;
};

// Of one process and one product with one vector.
struct DeviceCounts {
  GemvCounts gemv;       // of all its devices
  Offset transfers = 0;  // of vectors, among devices and the host
  Offset transferred_bytes = 0;
};

template <Scalar T>
class LaunchedProduct final : public device::GemvRunner<T> {
 public:
  // What `tasks` refers to, and the thread pool, outlive it. Throws Error(environment) when there is no such
  // device.
  LaunchedProduct(const device::GemvTasks& tasks, const DeviceProductOptions& options, ThreadPool& pool);

  void multiply(Vectors<const T> x, Vectors<T> y) override;
  // Between the host's memory and that of the first device.
  void copy(const T* from, T* to, std::size_t count) const override {
    device_.front()->copy(from, to, count);
  }
  const DeviceCounts& counts() const { return counts_; }

 private:
  // By place: the host's memory, then that of each device.
  using Places = std::vector<std::vector<T>>;
  static void carry(const std::vector<Transfer>& transfers, Places& vectors);
  void count(const std::vector<Transfer>& transfers, Index rows);

  std::vector<std::unique_ptr<device::KernelRunner<T>>> device_;
  std::vector<Transfer> broadcast_, all_reduce_;
  Places x_, y_;
  DeviceCounts counts_;
};

// Products of the matrix are made so from now on; returns what this rank's launch and transfer. Collective;
// throws on every rank where one has no such device.
template <Scalar T>
DeviceCounts use_devices(hmatrix::HMatrix<T>& matrix, const DeviceProductOptions& options);

}  // namespace trisweep::studies
