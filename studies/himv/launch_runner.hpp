#pragma once
// Runs a plan of launches on any device.

#include "studies/himv/launch_plan.hpp"
#include "trisweep/device/gemv_runner.hpp"

namespace trisweep::studies {

// On the current device of that kind. The panels that are not padded, and the thread pool, outlive it. Of an
// emulated device a launch is a round of the thread pool, and streams have no meaning. A merged plan is run
// by the library. Throws Error(environment).
template <Scalar T>
std::unique_ptr<device::KernelRunner<T>> run_launches(LaunchPlan plan, backend::Device device,
                                                      ThreadPool& pool);

}  // namespace trisweep::studies
