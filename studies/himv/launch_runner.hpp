#pragma once
// Runs a plan of launches: on threads of the host, from the source of the GPUs' kernels, or on a GPU.

#include "studies/himv/launch_plan.hpp"
#include "trisweep/device/gemv_runner.hpp"

namespace trisweep::studies {

// The panels that are not padded, and the thread pool, outlive it. A launch is a round of the thread pool;
// streams have no meaning. A merged plan is run by the library.
template <Scalar T>
std::unique_ptr<device::KernelRunner<T>> run_launches_on_host(LaunchPlan plan, ThreadPool& pool);

// On the current device, to whose memory the panels are copied. Built with TRISWEEP_CUDA or TRISWEEP_HIP;
// throws Error(environment).
template <Scalar T>
std::unique_ptr<device::KernelRunner<T>> run_launches_on_gpu(LaunchPlan plan);

}  // namespace trisweep::studies
