#include "trisweep/device/gpu_device.hpp"
#include "trisweep/device/gpu_runtime.hpp"

namespace trisweep::device {

int gpu_count() {
  int count = 0;
  return TRISWEEP_GPU(GetDeviceCount)(&count) == TRISWEEP_GPU(Success) ? count : 0;
}

int current_gpu() {
  int number = 0;
  check(TRISWEEP_GPU(GetDevice)(&number), "finding the device");
  return number;
}
void take_gpu(int number) {
  check(TRISWEEP_GPU(SetDevice)(number), "choosing the device");
}

std::optional<std::string> gpu_name() {
  if (gpu_count() == 0) return std::nullopt;
  DeviceProperties properties{};
  check(TRISWEEP_GPU(GetDeviceProperties)(&properties, 0), "asking the device");
  return properties.name;
}

GpuBuffer::GpuBuffer(std::size_t bytes) {
  if (bytes == 0) return;
  check(TRISWEEP_GPU(Malloc)(&data_, bytes), "memory of the device");
  check(TRISWEEP_GPU(Memset)(data_, 0, bytes), "memory of the device");
}
GpuBuffer::~GpuBuffer() {
  static_cast<void>(TRISWEEP_GPU(Free)(data_));
}
void GpuBuffer::fill(const void* values, std::size_t bytes) const {
  copy(as<std::byte>(), static_cast<const std::byte*>(values), bytes);
}
void GpuBuffer::read(void* values, std::size_t bytes) const {
  copy(static_cast<std::byte*>(values), as<const std::byte>(), bytes);
}

void gpu_copy(void* to, const void* from, std::size_t bytes, void* stream) {
  copy(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, static_cast<Stream>(stream));
}

double gpu_copy_bandwidth() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int repeats = 10;
  const DeviceArray<std::byte> from(bytes), to(bytes);
  const GpuEvent begin, end;
  const auto copy = [&] {
    check(
        TRISWEEP_GPU(MemcpyAsync)(to.data(), from.data(), bytes, TRISWEEP_GPU(MemcpyDeviceToDevice), nullptr),
        "copying on the device");
  };
  copy();
  check(TRISWEEP_GPU(EventRecord)(begin.get(), nullptr), "an event");
  for (int i = 0; i < repeats; ++i) copy();
  check(TRISWEEP_GPU(EventRecord)(end.get(), nullptr), "an event");
  check(TRISWEEP_GPU(EventSynchronize)(end.get()), "an event");
  float milliseconds = 0;
  check(TRISWEEP_GPU(EventElapsedTime)(&milliseconds, begin.get(), end.get()), "an event");
  return 2.0 * repeats * double(bytes) / (double(milliseconds) * 1e-3);
}

}  // namespace trisweep::device
