#include "trisweep/sptrsv/device_solver.hpp"

#include "trisweep/core/error.hpp"

namespace trisweep::sptrsv {

template <Scalar T>
DeviceSolver<T>::DeviceSolver(const matrix::Csr<T>& a, Form form, Op op, const DeviceSolverOptions& options)
    : on_gpu_(options.device != engine::Device::emulated) {
  if (options.device == engine::Device::native || options.threads < 1)
    throw Error(ErrorKind::usage, "a solve on a device needs a device, and a thread",
                "use emulated, cuda or hip");
  engine::require_device(options.device);
  const LowerSystem<T> system = lower_system(a, form, op);
  choice_ = choose_for_device(system.below, options.algorithm);
  OrderedRows<T> rows = ordered_rows(system, choice_.plan);
  runner_ =
      on_gpu_ ? run_rows_on_gpu(rows, options.device) : run_rows_on_host(std::move(rows), options.threads);
}

template <Scalar T>
void DeviceSolver<T>::solve(Vectors<const T> b, Vectors<T> x) {
  require_fit<T>(b, x, static_cast<Index>(choice_.plan.row.size()), on_gpu_);
  for (Index c = 0; c < b.cols; c += most_columns) {
    const Index count = std::min(most_columns, b.cols - c);
    runner_->solve(b.columns(c, count), x.columns(c, count));
  }
}

#define INSTANTIATE(T) template class DeviceSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::sptrsv
