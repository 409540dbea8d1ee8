#pragma once
// The GPUs of this machine. Built with TRISWEEP_CUDA or TRISWEEP_HIP.

#include <cstddef>
#include <optional>
#include <string>

namespace trisweep::device {

int gpu_count();
// That this thread has: the first, until it takes another.
int current_gpu();
// Throws Error(environment) when there is no such GPU.
void take_gpu(int number);
// Of the first; nothing: there is none.
std::optional<std::string> gpu_name();
// Bytes per second that a copy within its memory reads and writes.
double gpu_copy_bandwidth();

// Between memories of the host and of devices, in a stream (null: the usual one). Waits. Throws
// Error(environment).
void gpu_copy(void* to, const void* from, std::size_t bytes, void* stream = nullptr);

// Zeroed memory of the current device, for who has not its compiler. Throws Error(environment).
class GpuBuffer {
 public:
  explicit GpuBuffer(std::size_t bytes);
  ~GpuBuffer();
  GpuBuffer(const GpuBuffer&) = delete;
  GpuBuffer& operator=(const GpuBuffer&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  // From and to the host. Waits.
  void fill(const void* values, std::size_t bytes) const;
  void read(void* values, std::size_t bytes) const;

 private:
  void* data_ = nullptr;
};

}  // namespace trisweep::device
