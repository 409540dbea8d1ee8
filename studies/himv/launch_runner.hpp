#pragma once
// Runs a plan of launches on any device.

#include "studies/himv/launch_plan.hpp"
#include "trisweep/device/gemv_runner.hpp"

namespace trisweep::studies {

// Makes a runner on the current device of a kind. Unpadded panels and the thread pool must outlive it. On an
// emulated device a launch is one run of the thread pool, and streams are ignored. A merged plan is run by
// the library's kernel. Throws Error(environment).
template <Scalar T>
std::unique_ptr<device::KernelRunner<T>> run_launches(LaunchPlan plan, backend::Device device,
                                                      ThreadPool& pool);

}  // namespace trisweep::studies
