#pragma once
// Products with one process's rows of an H-matrix on its devices, with any choice of launches: on GPUs or,
// from the same source, on threads of the host. If there are several devices, they share the panels
// (launch_plan.hpp); each has all of x, and their parts of y are summed. Devices that do not exist are
// virtual, and take turns.

#include "studies/himv/launch_runner.hpp"
#include "studies/himv/transfers.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"

namespace trisweep::studies {

struct DeviceProductOptions {
  backend::Device device = backend::Device::native;  // native: the other options are ignored
  GemvOptions gemv{.merged = true};
  Index gpus = 1;  // per process
  Way way = Way::peer;
};

// Counts of one process, for one product with one vector.
struct DeviceCounts {
  GemvCounts gemv;       // over all its devices
  Offset transfers = 0;  // of vectors, between devices and the host
  Offset transferred_bytes = 0;
};

template <Scalar T>
class LaunchedProduct final : public device::GemvRunner<T> {
 public:
  // The thread pool, and the data that `tasks` refers to, must outlive this object. Throws Error(environment)
  // if there is no such device.
  LaunchedProduct(const device::GemvTasks& tasks, const DeviceProductOptions& options, ThreadPool& pool);

  void multiply(Vectors<const T> x, Vectors<T> y) override;
  // Copies between host memory and that of the first device.
  void copy(const T* from, T* to, std::size_t count) const override {
    device_.front()->copy(from, to, count);
  }
  const DeviceCounts& counts() const { return counts_; }

 private:
  // Vectors in the host's memory, then in that of each device.
  using Places = std::vector<std::vector<T>>;
  static void carry(const std::vector<Transfer>& transfers, Places& vectors);
  void count(const std::vector<Transfer>& transfers, Index rows);

  std::vector<std::unique_ptr<device::KernelRunner<T>>> device_;
  std::vector<Transfer> broadcast_, all_reduce_;
  Places x_, y_;
  DeviceCounts counts_;
};

// From now on, makes products with the matrix in this way. Returns counts of this rank's launches and
// transfers. Collective; throws on every rank if any rank has no such device.
template <Scalar T>
DeviceCounts use_devices(hmatrix::HMatrix<T>& matrix, const DeviceProductOptions& options);

}  // namespace trisweep::studies
