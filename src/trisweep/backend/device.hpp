#pragma once
// The devices that kernels run on, and the run time of each kind.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace trisweep::backend {

// native: the host's own kernels; emulated: the GPU kernels' source, compiled for the CPU; or a GPU.
enum class Device { native, emulated, cuda, hip };
struct NamedDevice {
  std::string_view name;
  Device device;
  std::string_view former_name = {};  // still accepted
};
std::span<const NamedDevice> devices();
// By name or former name. Throws Error(usage) that lists the names.
Device find_device(std::string_view name);
std::string_view name_of(Device device);
constexpr bool is_gpu(Device device) {
  return device == Device::cuda || device == Device::hip;
}
// Throws Error(environment) when this build or this machine has no such device.
void require_device(Device device);

// own: that kernels of one device use; reached: also those of others, while they run; managed: that moves to
// whichever device touches it; pinned: the host's, from and to which copies go without waiting for any.
enum class MemoryUse { own, reached, managed, pinned };

// What a kind of device is asked for; a null stream is its usual one. Errors are thrown as
// Error(environment). On the host all happens at once.
class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual int count() const = 0;  // of devices
  // Why there is none, in words; empty where there is one.
  virtual std::string obstacle() const = 0;
  virtual std::string name() const = 0;  // of the first one, with its driver
  // The device that this thread uses: the first, until it takes another.
  virtual int current() const = 0;
  virtual void take(int device) const = 0;
  // Lets the current device reach the memory of another.
  virtual void reach(int device) const = 0;

  // Of the current device, with any contents.
  virtual void* allocate(std::size_t bytes, MemoryUse use) const = 0;
  // Not `free`: that is a macro in programs under SimGrid.
  virtual void release(void* memory, MemoryUse use) const noexcept = 0;

  // These come in a stream, and do not wait. Copies are between memories of the host and of devices, of
  // `count` columns of `bytes` each.
  virtual void copy(void* to, std::size_t to_ld, const void* from, std::size_t from_ld, std::size_t bytes,
                    std::size_t count, void* stream) const = 0;
  virtual void clear(void* memory, std::size_t bytes, void* stream) const = 0;
  // A kernel, of blocks that may all wait for one another where they are resident `together`.
  virtual void launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments, bool together,
                      void* stream) const = 0;
  virtual int resident_blocks(const void* kernel, int threads) const = 0;

  virtual void* make_stream() const = 0;
  virtual void free_stream(void* stream) const noexcept = 0;
  virtual bool is_idle(void* stream) const = 0;
  virtual void wait(void* stream) const = 0;
  // What comes in `later` waits for all that is in `stream` so far.
  virtual void* make_event() const = 0;
  virtual void free_event(void* event) const noexcept = 0;
  virtual void record(void* event, void* stream) const = 0;
  virtual void wait_for(void* event, void* stream) const = 0;
};

// That of a device; of one that this build has not, the host's.
const Runtime& runtime(Device device);

}  // namespace trisweep::backend
