#include "trisweep/hmatrix/device_product.hpp"

#include <algorithm>

#include "trisweep/core/error.hpp"

namespace trisweep::hmatrix {
namespace {

#if !defined(TRISWEEP_CUDA) && !defined(TRISWEEP_HIP)
Error no_kernels() {
  return Error(ErrorKind::usage, "no kernels for that device", "use --device emulated");
}
#endif

template <Scalar T>
std::unique_ptr<device::GemvRunner<T>> runner_of(device::GemvPlan plan, engine::Device device, Crew& crew) {
  if (device == engine::Device::emulated) return device::run_gemv_on_host<T>(std::move(plan), crew);
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
  return device::run_gemv_on_gpu<T>(std::move(plan));
#else
  throw no_kernels();
#endif
}

}  // namespace

template <Scalar T>
DeviceProduct<T>::DeviceProduct(const device::GemvTasks& tasks, const DeviceOptions& options, Crew& crew)
    : broadcast_(model::local_broadcast(options.way, options.gpus)),
      all_reduce_(model::local_all_reduce(options.way, options.gpus)) {
  engine::require_device(options.device);
  for (const device::GemvTasks& share : device::deal_to_devices(tasks, options.gemv, options.gpus)) {
    device::GemvPlan plan = device::make_gemv_plan(share, options.gemv);
    counts_.gemv += device::count_gemv(plan);
    device_.push_back(runner_of<T>(std::move(plan), options.device, crew));
  }
  x_.assign(device_.size() + 1, std::vector<T>(usize(tasks.columns)));
  y_.assign(device_.size() + 1, std::vector<T>(usize(tasks.rows)));
  count(broadcast_, tasks.columns);
  count(all_reduce_, tasks.rows);
}

template <Scalar T>
void DeviceProduct<T>::count(const std::vector<model::Transfer>& transfers, Index rows) {
  counts_.transfers += std::ssize(transfers);
  counts_.transferred_bytes += std::ssize(transfers) * Offset{rows} * static_cast<Offset>(sizeof(T));
}

template <Scalar T>
void DeviceProduct<T>::carry(const std::vector<model::Transfer>& transfers, Places& vectors) {
  for (const model::Transfer& t : transfers) {
    const std::vector<T>& from = vectors[usize(t.from + 1)];
    std::vector<T>& to = vectors[usize(t.to + 1)];
    std::transform(from.begin(), from.end(), to.begin(), to.begin(),
                   [&](const T& came, const T& here) { return t.adds ? here + came : came; });
  }
}

template <Scalar T>
void DeviceProduct<T>::multiply(Vectors<const T> x, Vectors<T> y) {
  if (device_.size() == 1) return device_.front()->multiply(x, y);
  for (Index c = 0; c < x.cols; ++c) {
    copy(x.column(c), x_.front().data(), usize(x.rows));
    carry(broadcast_, x_);
    for (std::size_t d = 0; d < device_.size(); ++d) device_[d]->multiply(x_[d + 1], y_[d + 1]);
    carry(all_reduce_, y_);
    copy(y_.front().data(), y.column(c), usize(y.rows));
  }
}

template <Scalar T>
std::unique_ptr<device::StepRunner<T>> vectors_on(engine::Device device, Crew& crew) {
  if (device == engine::Device::emulated) return device::run_steps_on_host<T>(crew, MemorySpace::device);
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
  return device::run_steps_on_gpu<T>();
#else
  throw no_kernels();
#endif
}

#define INSTANTIATE(T)             \
  template class DeviceProduct<T>; \
  template std::unique_ptr<device::StepRunner<T>> vectors_on(engine::Device, Crew&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
