#pragma once
// H-matrices on a device: products with the blocks of one process, by one kernel, and the vector operations
// of a solver. The device is a GPU or, from the same source, threads of the host.

#include "trisweep/device/gemv_runner.hpp"
#include "trisweep/device/step_runner.hpp"

namespace trisweep::hmatrix {

// What `tasks` refers to and the thread pool must outlive the result. Throws Error(environment) when there is
// no such device.
template <Scalar T>
std::unique_ptr<device::GemvRunner<T>> product_on(backend::Device device, const device::GemvTasks& tasks,
                                                  ThreadPool& pool);

// Vector operations of a solver on such a device; the host runs them from the same source. Throws
// Error(environment) when there is no such device.
template <Scalar T>
std::unique_ptr<device::StepRunner<T>> vectors_on(backend::Device device, ThreadPool& pool);

}  // namespace trisweep::hmatrix
