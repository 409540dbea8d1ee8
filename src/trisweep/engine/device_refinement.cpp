#include "trisweep/engine/device_refinement.hpp"

#include <complex>

namespace trisweep::engine {

template <Scalar T>
RefinementVectors<T>::RefinementVectors(Device where, Index count, Index nrhs) : device(where), rows(count) {
  const std::size_t size = usize(rows) * usize(nrhs);
  for (auto* array : {&b, &x, &other, &residual}) *array = {device, size};
  magnitude = {device, size};
}

template <Scalar T>
void RefinementVectors<T>::copy(Vectors<T> to, Vectors<const T> from, void* stream) const {
  backend::copy_columns(device, to, from, stream);
}

template <Scalar T>
std::vector<ResidualNorms> DeviceRefinement<T>::start(Vectors<const T> b, void* stream) {
  nrhs_ = b.cols;
  stream_ = stream;
  b_ = b;
  if (b.space == MemorySpace::host) {
    vectors_.copy(of(vectors_.b), b, stream_);
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
    vectors_.copy(of(vectors_.x).columns(c, 1), of(vectors_.other).columns(c, 1), stream_);
}

template <Scalar T>
std::vector<ResidualNorms> DeviceRefinement<T>::measured(const backend::DeviceArray<T>& answer) {
  std::vector<ResidualNorms> norms;
  norms.reserve(usize(nrhs_));
  measuring_->runner->start({.b = of(answer), .base = b_}, stream_);
  measuring_->runner->wait(stream_);
  confirm_();
  using device::Norm;
  const std::span<const T> rows = measuring_->runner->norms();
  for (Index c = 0; c < nrhs_; ++c) {
    const auto norm = [&](Norm::Kind kind) {
      return double(std::real(rows[usize(kind) * usize(nrhs_) + usize(c)]));
    };
    norms.push_back({.quotient = norm(Norm::quotient),
                     .x = norm(Norm::x),
                     .scaled_x = norm(Norm::scaled_x),
                     .r = norm(Norm::r),
                     .b = norm(Norm::b),
                     .typical_quotient = norm(Norm::typical_quotient),
                     .small_residual = norm(Norm::small_residual)});
  }
  return norms;
}

template <Scalar T>
void DeviceRefinement<T>::read(Vectors<T> x) const {
  vectors_.copy(x, of(vectors_.x), stream_);
  backend::runtime(vectors_.device).wait(stream_);
}

#define INSTANTIATE(T)                  \
  template struct RefinementVectors<T>; \
  template class DeviceRefinement<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
