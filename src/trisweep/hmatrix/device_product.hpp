#pragma once
// Products of one process with its rows of an H-matrix on devices: a GPU, several of one process, or, from
// the same source, threads of the host. Several share the panels (device/gemv_plan.hpp), have all of x each,
// and sum what they have of y; those that are not there are virtual, and take turns.

#include "trisweep/device/gemv_runner.hpp"
#include "trisweep/device/step_runner.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/model/gpu_node.hpp"

namespace trisweep::hmatrix {

struct DeviceOptions {
  engine::Device device = engine::Device::native;  // of which the rest has no meaning
  device::GemvOptions gemv{.merged = true};
  Index gpus = 1;  // of each process
  model::Way way = model::Way::peer;
};

// Of one process and one product with one vector.
struct DeviceCounts {
  device::GemvCounts gemv;  // of all its devices
  Offset transfers = 0;     // of vectors, among devices and the host
  Offset transferred_bytes = 0;
};

template <Scalar T>
class DeviceProduct {
 public:
  // What `tasks` refers to, and the crew, outlive it. Throws Error(environment) when there is no such device.
  DeviceProduct(const device::GemvTasks& tasks, const DeviceOptions& options, Crew& crew);

  // y = this process's rows of H x. Either may be in the memory of the first device.
  void multiply(Vectors<const T> x, Vectors<T> y);
  // Between that memory and the host's.
  void copy(const T* from, T* to, std::size_t count) const { device_.front()->copy(from, to, count); }
  const DeviceCounts& counts() const { return counts_; }

 private:
  // By place: the host's memory, then that of each device.
  using Places = std::vector<std::vector<T>>;
  static void carry(const std::vector<model::Transfer>& transfers, Places& vectors);
  void count(const std::vector<model::Transfer>& transfers, Index rows);

  std::vector<std::unique_ptr<device::GemvRunner<T>>> device_;
  std::vector<model::Transfer> broadcast_, all_reduce_;
  Places x_, y_;
  DeviceCounts counts_;
};

// Vectors of a solver that are on such a device, or, of the host, as if they were. Throws Error(environment).
template <Scalar T>
std::unique_ptr<device::StepRunner<T>> vectors_on(engine::Device device, Crew& crew);

}  // namespace trisweep::hmatrix
