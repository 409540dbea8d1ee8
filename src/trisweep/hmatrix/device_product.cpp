#include "trisweep/hmatrix/device_product.hpp"

#include "trisweep/core/error.hpp"

namespace trisweep::hmatrix {
namespace {

#if !defined(TRISWEEP_CUDA) && !defined(TRISWEEP_HIP)
Error no_kernels() {
  return Error(ErrorKind::usage, "no kernels for that device", "use --device emulated");
}
#endif

}  // namespace

template <Scalar T>
std::unique_ptr<device::GemvRunner<T>> product_on(engine::Device device, const device::GemvTasks& tasks,
                                                  ThreadPool& pool) {
  engine::require_device(device);
  device::GemvPlan plan = device::make_gemv_plan(tasks);
  if (device == engine::Device::emulated) return device::run_gemv_on_host<T>(std::move(plan), pool);
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
  return device::run_gemv_on_gpu<T>(std::move(plan));
#else
  throw no_kernels();
#endif
}

template <Scalar T>
std::unique_ptr<device::StepRunner<T>> vectors_on(engine::Device device, ThreadPool& pool) {
  if (device == engine::Device::emulated) return device::run_steps_on_host<T>(pool, MemorySpace::device);
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
  return device::run_steps_on_gpu<T>();
#else
  throw no_kernels();
#endif
}

#define INSTANTIATE(T)                                                                                 \
  template std::unique_ptr<device::GemvRunner<T>> product_on(engine::Device, const device::GemvTasks&, \
                                                             ThreadPool&);                             \
  template std::unique_ptr<device::StepRunner<T>> vectors_on(engine::Device, ThreadPool&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
