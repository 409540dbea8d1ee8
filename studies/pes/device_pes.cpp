#include "studies/pes/device_pes.hpp"

#include "trisweep/core/error.hpp"
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
#include <algorithm>

#include "trisweep/device/gpu_device.hpp"
#endif

namespace trisweep::studies {
namespace {

template <Scalar T>
std::unique_ptr<PeRunner<T>> pe_runner_of(PePrograms<T> programs, const DevicePeOptions& options) {
  if (options.device == engine::Device::emulated)
    return run_pes_on_host(std::move(programs), options.threads);
#if defined(TRISWEEP_CUDA) || defined(TRISWEEP_HIP)
  return run_pes_on_gpus(std::move(programs), std::min(options.layout.pes, device::gpu_count()));
#else
  throw Error(ErrorKind::usage, "no kernels for that device", "use --device emulated");
#endif
}

}  // namespace

template <Scalar T>
DevicePes<T>::DevicePes(const sptrsv::LowerSystem<T>& system, const NamedDesign& design,
                        const DevicePeOptions& options)
    : on_gpu_(options.device != engine::Device::emulated), rows_(system.rows()) {
  if (options.device == engine::Device::native || options.threads < 1)
    throw Error(ErrorKind::usage, "PEs on a device need a device, and one thread each",
                "use emulated, cuda or hip");
  engine::require_device(options.device);
  runner_ =
      pe_runner_of(programs_of(system, design, {.layout = options.layout, .costs = options.costs}), options);
}

template <Scalar T>
PeReport DevicePes<T>::solve(Vectors<const T> b, Vectors<T> x) {
  require_fit<T>(b, x, rows_, on_gpu_);
  PeReport all;
  for (Index c = 0; c < b.cols; ++c) all += runner_->solve(b.columns(c, 1), x.columns(c, 1));
  return all;
}

#define INSTANTIATE(T) template class DevicePes<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
