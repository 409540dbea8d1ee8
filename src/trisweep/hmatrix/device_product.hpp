#pragma once
// Where an H-matrix is on a device: products with the blocks of one process, by one kernel, and the vectors
// of a solver. On a GPU or, from the same source, threads of the host.

#include "trisweep/device/gemv_runner.hpp"
#include "trisweep/device/step_runner.hpp"

namespace trisweep::hmatrix {

// What `tasks` refers to, and the thread pool, outlive it. Throws Error(environment) when there is no such
// device.
template <Scalar T>
std::unique_ptr<device::GemvRunner<T>> product_on(backend::Device device, const device::GemvTasks& tasks,
                                                  ThreadPool& pool);

// Vectors of a solver that are on such a device, or, of the host, as if they were. Throws Error(environment).
template <Scalar T>
std::unique_ptr<device::StepRunner<T>> vectors_on(backend::Device device, ThreadPool& pool);

}  // namespace trisweep::hmatrix
