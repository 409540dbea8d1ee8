#include "trisweep/engine/device_refinement.hpp"

#include <complex>
#include <cstring>

#include "trisweep/core/buffer.hpp"

namespace trisweep::engine {
namespace {

void copy_between(Device device, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (device == Device::host) {
    std::memcpy(to, from, bytes);
  } else {
    copy_on_gpu(to, from, bytes);
  }
}

template <class N, class M>
void copy_columns(Device device, Vectors<N> to, Vectors<M> from) {
  for (Index c = 0; c < to.cols; ++c)
    copy_between(device, to.column(c), from.column(c), usize(to.rows) * sizeof(N));
}

}  // namespace

std::shared_ptr<std::byte> memory_of(Device device, std::size_t bytes) {
  if (device != Device::host) return gpu_memory(bytes);
  const auto buffer =
      std::make_shared<Buffer<std::byte>>(zeros<std::byte>(bytes, "the vectors of refinement"));
  return {buffer, buffer->data()};
}

template <Scalar T>
RefinementVectors<T>::RefinementVectors(Device where, Index count, Index nrhs) : device(where), rows(count) {
  const std::size_t size = usize(rows) * usize(nrhs);
  for (auto* array : {&b, &x, &other, &residual}) *array = memory_of(device, size * sizeof(T));
  magnitude = memory_of(device, size * sizeof(RealOf<T>));
}

template <Scalar T>
std::vector<Found> DeviceRefinement<T>::start(Vectors<const T> b) {
  nrhs_ = b.cols;
  copy_columns(vectors_.device, of(vectors_.b), b);
  solve_(of(vectors_.b), of(vectors_.x), {});
  return measured(vectors_.x);
}

template <Scalar T>
std::vector<Found> DeviceRefinement<T>::correct() {
  solve_(of(vectors_.residual), of(vectors_.other), of(vectors_.x));
  return measured(vectors_.other);
}

template <Scalar T>
void DeviceRefinement<T>::take(std::span<const Index> columns) {
  for (const Index c : columns)
    copy_columns(vectors_.device, of(vectors_.x).columns(c, 1), of(vectors_.other).columns(c, 1));
}

template <Scalar T>
std::vector<Found> DeviceRefinement<T>::measured(const std::shared_ptr<std::byte>& answer) {
  measuring_->runner->start({.b = of(answer), .base = of(vectors_.b)}, nullptr);
  measuring_->runner->wait(nullptr);
  std::vector<T> rows(std::tuple_size_v<Found> * usize(nrhs_));
  measuring_->runner->read_rows(usize(measuring_->program.verdict) * usize(nrhs_), rows);
  std::vector<Found> found(usize(nrhs_));
  for (std::size_t i = 0; i < rows.size(); ++i)
    found[i % usize(nrhs_)][i / usize(nrhs_)] = double(std::real(rows[i]));
  return found;
}

template <Scalar T>
void DeviceRefinement<T>::read(Vectors<T> x) const {
  copy_columns(vectors_.device, x, of(vectors_.x));
}

template <Scalar T>
void DeviceRefinement<T>::read_magnitude(Vectors<RealOf<T>> magnitude) const {
  const Vectors<const RealOf<T>> here{reinterpret_cast<const RealOf<T>*>(vectors_.magnitude.get()),
                                      vectors_.rows, nrhs_};
  copy_columns(vectors_.device, magnitude, here);
}

#define INSTANTIATE(T)                  \
  template struct RefinementVectors<T>; \
  template class DeviceRefinement<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
