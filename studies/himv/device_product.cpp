#include "studies/himv/device_product.hpp"

#include <algorithm>

namespace trisweep::studies {

template <Scalar T>
LaunchedProduct<T>::LaunchedProduct(const device::GemvTasks& tasks, const DeviceProductOptions& options,
                                    ThreadPool& pool)
    : broadcast_(local_broadcast(options.way, options.gpus)),
      all_reduce_(local_all_reduce(options.way, options.gpus)) {
  backend::require_device(options.device);
  for (const device::GemvTasks& share : deal_to_devices(tasks, options.gemv, options.gpus)) {
    LaunchPlan plan = make_launch_plan(share, options.gemv);
    counts_.gemv += count_gemv(plan);
    device_.push_back(run_launches<T>(std::move(plan), options.device, pool));
  }
  x_.assign(device_.size() + 1, std::vector<T>(usize(tasks.columns)));
  y_.assign(device_.size() + 1, std::vector<T>(usize(tasks.rows)));
  count(broadcast_, tasks.columns);
  count(all_reduce_, tasks.rows);
}

template <Scalar T>
void LaunchedProduct<T>::count(const std::vector<Transfer>& transfers, Index rows) {
  counts_.transfers += std::ssize(transfers);
  counts_.transferred_bytes += std::ssize(transfers) * Offset{rows} * static_cast<Offset>(sizeof(T));
}

template <Scalar T>
void LaunchedProduct<T>::carry(const std::vector<Transfer>& transfers, Places& vectors) {
  for (const Transfer& t : transfers) {
    const std::vector<T>& from = vectors[usize(t.from + 1)];
    std::vector<T>& to = vectors[usize(t.to + 1)];
    std::transform(from.begin(), from.end(), to.begin(), to.begin(),
                   [&](const T& came, const T& here) { return t.adds ? here + came : came; });
  }
}

template <Scalar T>
void LaunchedProduct<T>::multiply(Vectors<const T> x, Vectors<T> y) {
  if (device_.size() == 1) return device_.front()->multiply(x, y);
  for (Index c = 0; c < x.cols; ++c) {
    copy(x.column(c), x_.front().data(), usize(x.rows));
    carry(broadcast_, x_);
    for (std::size_t d = 0; d < device_.size(); ++d) device_[d]->multiply(x_[d + 1], y_[d + 1]);
    carry(all_reduce_, y_);
    copy(y_.front().data(), y.column(c), usize(y.rows));
  }
}

template <Scalar T>
DeviceCounts use_devices(hmatrix::HMatrix<T>& matrix, const DeviceProductOptions& options) {
  DeviceCounts counts;
  if (options.device == backend::Device::native) {
    matrix.use_device(options.device);
    return counts;
  }
  matrix.use_product([&](const device::GemvTasks& tasks, ThreadPool& pool) {
    auto product = std::make_unique<LaunchedProduct<T>>(tasks, options, pool);
    counts = product->counts();
    return product;
  });
  return counts;
}

#define INSTANTIATE(T)               \
  template class LaunchedProduct<T>; \
  template DeviceCounts use_devices(hmatrix::HMatrix<T>&, const DeviceProductOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::studies
