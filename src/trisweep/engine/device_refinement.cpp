#include "trisweep/engine/device_refinement.hpp"

#include <complex>
#include <cstring>

#include "trisweep/core/buffer.hpp"

namespace trisweep::engine {
namespace {

void copy_between(Device device, void* to, const void* from, std::size_t bytes, void* stream) {
  if (bytes == 0) return;
  if (device == Device::emulated) {
    std::memcpy(to, from, bytes);
  } else {
    copy_on_gpu(to, from, bytes, stream);
  }
}

}  // namespace

template <class T>
void copy_columns(Device device, Vectors<T> to, Vectors<const std::type_identity_t<T>> from, void* stream) {
  for (Index c = 0; c < to.cols; ++c)
    copy_between(device, to.column(c), from.column(c), usize(to.rows) * sizeof(T), stream);
}

std::shared_ptr<std::byte> memory_of(Device device, std::size_t bytes) {
  if (device != Device::emulated) return gpu_memory(bytes);
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
std::vector<ResidualNorms> DeviceRefinement<T>::start(Vectors<const T> b, void* stream) {
  nrhs_ = b.cols;
  stream_ = stream;
  b_ = b;
  if (b.space == MemorySpace::host) {
    copy_columns(vectors_.device, of(vectors_.b), b, stream_);
    b_ = of(vectors_.b);
  }
  solve_(b_, of(vectors_.x), {}, stream_);
  return measured(vectors_.x);
}

template <Scalar T>
std::vector<ResidualNorms> DeviceRefinement<T>::correct() {
  solve_(of(vectors_.residual), of(vectors_.other), of(vectors_.x), stream_);
  return measured(vectors_.other);
}

template <Scalar T>
void DeviceRefinement<T>::take(std::span<const Index> columns) {
  for (const Index c : columns)
    copy_columns(vectors_.device, of(vectors_.x).columns(c, 1), of(vectors_.other).columns(c, 1), stream_);
}

template <Scalar T>
std::vector<ResidualNorms> DeviceRefinement<T>::measured(const std::shared_ptr<std::byte>& answer) {
  measuring_->runner->start({.b = of(answer), .base = b_}, stream_);
  measuring_->runner->wait(stream_);
  using device::Norm;
  std::vector<T> rows(usize(Norm::count) * usize(nrhs_));
  measuring_->runner->read_rows(usize(measuring_->program.verdict) * usize(nrhs_), rows, stream_);
  std::vector<ResidualNorms> norms;
  for (Index c = 0; c < nrhs_; ++c) {
    const auto norm = [&](Norm::Kind kind) {
      return double(std::real(rows[usize(kind) * usize(nrhs_) + usize(c)]));
    };
    norms.push_back({.quotient = norm(Norm::quotient),
                     .x = norm(Norm::x),
                     .scaled_x = norm(Norm::scaled_x),
                     .r = norm(Norm::r),
                     .b = norm(Norm::b),
                     .typical_quotient = norm(Norm::typical_quotient)});
  }
  return norms;
}

template <Scalar T>
void DeviceRefinement<T>::read(Vectors<T> x) const {
  copy_columns(vectors_.device, x, of(vectors_.x), stream_);
}

#define INSTANTIATE(T)                                                     \
  template void copy_columns(Device, Vectors<T>, Vectors<const T>, void*); \
  template struct RefinementVectors<T>;                                    \
  template class DeviceRefinement<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
