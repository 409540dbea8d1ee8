#include "trisweep/hmatrix/device_product.hpp"

namespace trisweep::hmatrix {

template <Scalar T>
std::unique_ptr<device::GemvRunner<T>> product_on(backend::Device device, const device::GemvTasks& tasks,
                                                  ThreadPool& pool) {
  backend::require_device(device);
  return std::make_unique<device::MergedGemv<T>>(device::make_gemv_plan(tasks), device, pool);
}

template <Scalar T>
std::unique_ptr<device::StepRunner<T>> vectors_on(backend::Device device, ThreadPool& pool) {
  backend::require_device(device);
  return std::make_unique<device::StepRunner<T>>(device, pool);
}

#define INSTANTIATE(T)                                                                                  \
  template std::unique_ptr<device::GemvRunner<T>> product_on(backend::Device, const device::GemvTasks&, \
                                                             ThreadPool&);                              \
  template std::unique_ptr<device::StepRunner<T>> vectors_on(backend::Device, ThreadPool&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
