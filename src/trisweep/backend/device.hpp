#pragma once
// The kinds of devices that kernels run on, and the runtime of each kind.

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
// Finds a device by name or former name. Throws Error(usage), which lists the names, for an unknown one.
Device find_device(std::string_view name);
std::string_view name_of(Device device);
constexpr bool is_gpu(Device device) {
  return device == Device::cuda || device == Device::hip;
}
// Throws Error(environment) if this build or this machine has no such device.
void require_device(Device device);

// own: used by kernels of one device only; reached: also accessed by kernels of other devices while they run;
// managed: migrates to whichever device touches it; pinned: host memory from and to which copies are
// asynchronous.
enum class MemoryUse { own, reached, managed, pinned };

// Runtime of one kind of device; a null stream is the default one. Errors are thrown as Error(environment).
// On the host every call completes at once.
class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual int count() const = 0;  // number of devices
  // Reason why there is no device; empty if there is one.
  virtual std::string obstacle() const = 0;
  virtual std::string name() const = 0;  // of the first one, with its driver
  // The device that this thread uses: the first, until it takes another one.
  virtual int current() const = 0;
  virtual void take(int device) const = 0;
  // Lets the current device reach the memory of another.
  virtual void reach(int device) const = 0;

  // Memory of the current device, uninitialized.
  virtual void* allocate(std::size_t bytes, MemoryUse use) const = 0;
  // Not `free`: that is a macro in programs under SimGrid.
  virtual void release(void* memory, MemoryUse use) const noexcept = 0;

  // Enqueued in a stream, without waiting. Copies are between memories of the host and of devices, of `count`
  // columns of `bytes` bytes each.
  virtual void copy(void* to, std::size_t to_ld, const void* from, std::size_t from_ld, std::size_t bytes,
                    std::size_t count, void* stream) const = 0;
  virtual void clear(void* memory, std::size_t bytes, void* stream) const = 0;
  // Launches a kernel; with `together` all its blocks are resident, so that they may wait for one another.
  virtual void launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments, bool together,
                      void* stream) const = 0;
  virtual int resident_blocks(const void* kernel, int threads) const = 0;

  virtual void* make_stream() const = 0;
  virtual void free_stream(void* stream) const noexcept = 0;
  virtual bool is_idle(void* stream) const = 0;
  virtual void wait(void* stream) const = 0;
  // Events: work enqueued in a stream after wait_for() waits for all work that was in the recorded stream.
  virtual void* make_event() const = 0;
  virtual void free_event(void* event) const noexcept = 0;
  virtual void record(void* event, void* stream) const = 0;
  virtual void wait_for(void* event, void* stream) const = 0;
};

// The runtime of a device; the host's for a device that is not in this build.
const Runtime& runtime(Device device);

}  // namespace trisweep::backend
