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
                                                  Crew& crew) {
  engine::require_device(device);
  device::GemvPlan plan = device::make_gemv_plan(tasks);
  if (device == engine::Device::emulated) return device::run_gemv_on_host<T>(std::move(plan), crew);
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
  return device::run_gemv_on_gpu<T>(std::move(plan));
#else
  throw no_kernels();
#endif
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

#define INSTANTIATE(T)                                                                                 \
  template std::unique_ptr<device::GemvRunner<T>> product_on(engine::Device, const device::GemvTasks&, \
                                                             Crew&);                                   \
  template std::unique_ptr<device::StepRunner<T>> vectors_on(engine::Device, Crew&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
