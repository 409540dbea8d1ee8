#pragma once
// The few calls of CUDA's and HIP's run time that are needed, under one name. For files that nvcc or hipcc
// compiles.

#include <span>
#include <string>
#include <utility>

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
using CopyKind = hipMemcpyKind;
#else
using DeviceProperties = cudaDeviceProp;
using CopyKind = cudaMemcpyKind;
#endif
using Stream = TRISWEEP_GPU(Stream_t);

// Throws Error(environment) with the run time's own text.
inline void check(TRISWEEP_GPU(Error_t) code, const char* call) {
  if (code != TRISWEEP_GPU(Success))
    throw Error(ErrorKind::environment, std::string(call) + ": " + TRISWEEP_GPU(GetErrorString)(code));
}

class GpuEvent {
 public:
  GpuEvent() { check(TRISWEEP_GPU(EventCreate)(&event_), "an event"); }
  ~GpuEvent() { static_cast<void>(TRISWEEP_GPU(EventDestroy)(event_)); }
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;
  TRISWEEP_GPU(Event_t) get() const { return event_; }

 private:
  TRISWEEP_GPU(Event_t) event_{};
};

class GpuStream {
 public:
  // Beside the default stream, which does not wait for it.
  GpuStream() {
    check(TRISWEEP_GPU(StreamCreateWithFlags)(&stream_, TRISWEEP_GPU(StreamNonBlocking)), "a stream");
  }
  ~GpuStream() { static_cast<void>(TRISWEEP_GPU(StreamDestroy)(stream_)); }
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_{};
};

inline bool is_idle(Stream stream) {
  const auto code = TRISWEEP_GPU(StreamQuery)(stream);
  if (code != TRISWEEP_GPU(ErrorNotReady)) check(code, "the kernel");
  return code == TRISWEEP_GPU(Success);
}

// What is called while it lives concerns that device.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(TRISWEEP_GPU(GetDevice)(&before_), "finding the device");
    check(TRISWEEP_GPU(SetDevice)(device), "choosing the device");
  }
  ~CurrentDevice() { static_cast<void>(TRISWEEP_GPU(SetDevice)(before_)); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

// Between memories of the host and of devices, after what is before in the stream. Waits, for no other
// stream.
template <class T>
void copy(T* to, const T* from, std::size_t count, Stream stream = nullptr) {
  if (count == 0) return;
  check(TRISWEEP_GPU(MemcpyAsync)(to, from, count * sizeof(T), TRISWEEP_GPU(MemcpyDefault), stream),
        "copying to or from the device");
  check(TRISWEEP_GPU(StreamSynchronize)(stream), "copying to or from the device");
}

// Memory of a device: of the current one when it is made.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  // Zeroed.
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    check(TRISWEEP_GPU(Malloc)(reinterpret_cast<void**>(&data_), size * sizeof(T)), "memory of the device");
    check(TRISWEEP_GPU(Memset)(data_, 0, size * sizeof(T)), "memory of the device");
    // Streams that do not wait for the usual one find it zeroed, too.
    check(TRISWEEP_GPU(StreamSynchronize)(nullptr), "memory of the device");
  }
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) {
    copy(data_, values.data(), values.size());
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

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace trisweep::device
