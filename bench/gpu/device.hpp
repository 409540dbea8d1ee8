#pragma once
// The GPU that is measured.

#include "median.hpp"
#include "trisweep/backend/memory.hpp"

namespace trisweep::bench {

constexpr backend::Device gpu = backend::Device::TRISWEEP_GPU_KIND;
inline bool has_gpu() {
  return backend::runtime(gpu).count() > 0;
}

// Zeroed memory of the GPU, for values of any type.
class GpuBuffer {
 public:
  explicit GpuBuffer(std::size_t bytes) : memory_(gpu, bytes) {}

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(memory_.data());
  }
  // Copies from and to the host. Waits.
  void fill(const void* values, std::size_t bytes) const {
    backend::copy(gpu, memory_.data(), static_cast<const std::byte*>(values), bytes);
  }
  void read(void* values, std::size_t bytes) const {
    backend::copy(gpu, static_cast<std::byte*>(values), memory_.data(), bytes);
  }

 private:
  backend::DeviceArray<std::byte> memory_;
};

// Bytes per second that a copy within its memory reads and writes.
inline double copy_bandwidth() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int repeats = 10;
  const GpuBuffer from(bytes), to(bytes);
  const double seconds = median_seconds([&] {
    for (int i = 0; i < repeats; ++i)
      backend::runtime(gpu).copy(to.as<void>(), bytes, from.as<void>(), bytes, bytes, 1, nullptr);
    backend::runtime(gpu).wait(nullptr);
  });
  return 2.0 * repeats * double(bytes) / seconds;
}

}  // namespace trisweep::bench
