#include "trisweep/backend/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/named.hpp"
#if defined(TRISWEEP_GPU_KIND)
#include "trisweep/backend/gpu/runtime.hpp"
#endif

namespace trisweep::backend {
namespace {

constexpr auto table = std::to_array<NamedDevice>({{"native", Device::native, "cpu"},
                                                   {"emulated", Device::emulated, "host"},
                                                   {"cuda", Device::cuda},
                                                   {"hip", Device::hip}});

#if defined(TRISWEEP_GPU_KIND)
constexpr Device built_for = Device::TRISWEEP_GPU_KIND;
#else
constexpr Device built_for = Device::native;
#endif

// Streams and events do nothing: every call has completed when it returns.
class HostRuntime final : public Runtime {
 public:
  int count() const override { return 1; }
  std::string obstacle() const override { return {}; }
  std::string name() const override { return "the host"; }
  int current() const override { return 0; }
  void take(int /*device*/) const override {}
  void reach(int /*device*/) const override {}

  void* allocate(std::size_t bytes, MemoryUse /*use*/) const override {
    return allocate_aligned(bytes, "the memory of an emulated device");
  }
  void release(void* memory, MemoryUse /*use*/) const noexcept override { std::free(memory); }

  void copy(void* to, std::size_t to_ld, const void* from, std::size_t from_ld, std::size_t bytes,
            std::size_t count, void* /*stream*/) const override {
    for (std::size_t c = 0; c < count; ++c)
      std::memmove(static_cast<std::byte*>(to) + c * to_ld, static_cast<const std::byte*>(from) + c * from_ld,
                   bytes);
  }
  void clear(void* memory, std::size_t bytes, void* /*stream*/) const override {
    std::fill_n(static_cast<std::byte*>(memory), bytes, std::byte{});  // also for no bytes at null
  }
  void launch(const void*, unsigned, unsigned, void**, bool, void*) const override {}
  int resident_blocks(const void* /*kernel*/, int /*threads*/) const override { return 1; }

  void* make_stream() const override { return nullptr; }
  void free_stream(void* /*stream*/) const noexcept override {}
  bool is_idle(void* /*stream*/) const override { return true; }
  void wait(void* /*stream*/) const override {}
  void* make_event() const override { return nullptr; }
  void free_event(void* /*event*/) const noexcept override {}
  void record(void* /*event*/, void* /*stream*/) const override {}
  void wait_for(void* /*event*/, void* /*stream*/) const override {}
};

}  // namespace

std::span<const NamedDevice> devices() {
  return table;
}

Device find_device(std::string_view name) {
  const auto former = std::ranges::find(table, name, &NamedDevice::former_name);
  return former != table.end() && !name.empty() ? former->device
                                                : find_named(devices(), "device", name).device;
}

std::string_view name_of(Device device) {
  return std::ranges::find(table, device, &NamedDevice::device)->name;
}

void require_device(Device device) {
  if (!is_gpu(device)) return;
  const std::string_view name = name_of(device);
  if (device != built_for)
    throw Error(ErrorKind::environment, fmt::format("this build has no kernels for --device {}", name),
                fmt::format("build with scripts/build --{}, or use --device native", name));
  if (const std::string obstacle = runtime(device).obstacle(); !obstacle.empty())
    throw Error(ErrorKind::environment, fmt::format("there is no GPU for --device {}: {}", name, obstacle),
                "use --device native, or emulated for the same kernel on the CPU");
}

const Runtime& runtime([[maybe_unused]] Device device) {
  static const HostRuntime host;
#if defined(TRISWEEP_GPU_KIND)
  if (device == built_for) return gpu_runtime();
#endif
  return host;
}

}  // namespace trisweep::backend
