#pragma once
// The few calls of CUDA's and HIP's run time that are needed, under one name. For files that nvcc or hipcc
// compiles.

#include <string>
#include <utility>
#include <vector>

#include "trisweep/core/error.hpp"

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define TRISWEEP_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define TRISWEEP_GPU(name) cuda##name
#endif

namespace trisweep::device {

#if defined(__HIPCC__)
using DeviceProperties = hipDeviceProp_t;
#else
using DeviceProperties = cudaDeviceProp;
#endif
using Stream = TRISWEEP_GPU(Stream_t);

// Throws Error(environment) with the run time's own text.
inline void check(TRISWEEP_GPU(Error_t) code, const char* call) {
  if (code != TRISWEEP_GPU(Success))
    throw Error(ErrorKind::environment, std::string(call) + ": " + TRISWEEP_GPU(GetErrorString)(code));
}

// Memory of a device.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  // Zeroed.
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    check(TRISWEEP_GPU(Malloc)(reinterpret_cast<void**>(&data_), size * sizeof(T)), "memory of the device");
    check(TRISWEEP_GPU(Memset)(data_, 0, size * sizeof(T)), "memory of the device");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    copy_from(values.data(), values.size());
  }
  ~DeviceArray() { static_cast<void>(TRISWEEP_GPU(Free)(data_)); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  void copy_from(const T* values, std::size_t count) const {
    if (count > 0)
      check(TRISWEEP_GPU(Memcpy)(data_, values, count * sizeof(T), TRISWEEP_GPU(MemcpyHostToDevice)),
            "copying to the device");
  }
  void copy_to(T* values, std::size_t count) const {
    if (count > 0)
      check(TRISWEEP_GPU(Memcpy)(values, data_, count * sizeof(T), TRISWEEP_GPU(MemcpyDeviceToHost)),
            "copying from the device");
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace trisweep::device
