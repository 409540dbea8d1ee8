// The few calls of the CUDA and HIP runtimes that are needed, compiled by nvcc or hipcc from one source.

#include "trisweep/backend/gpu/runtime.hpp"
#include "trisweep/core/error.hpp"

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define TRISWEEP_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define TRISWEEP_GPU(name) cuda##name
#endif

namespace trisweep::backend {
namespace {

#if defined(__HIPCC__)
using DeviceProperties = hipDeviceProp_t;
constexpr auto processors_attribute = hipDeviceAttributeMultiprocessorCount;
constexpr auto portable = hipHostMallocPortable;
#else
using DeviceProperties = cudaDeviceProp;
constexpr auto processors_attribute = cudaDevAttrMultiProcessorCount;
constexpr auto portable = cudaHostAllocPortable;
#endif
using GpuStream = TRISWEEP_GPU(Stream_t);
using GpuEvent = TRISWEEP_GPU(Event_t);

// Throws Error(environment) with the runtime's own text, and clears the error, so that no later call reports
// it again.
void check(TRISWEEP_GPU(Error_t) code, const char* call) {
  if (code == TRISWEEP_GPU(Success)) return;
  static_cast<void>(TRISWEEP_GPU(GetLastError)());
  throw Error(ErrorKind::environment, std::string(call) + ": " + TRISWEEP_GPU(GetErrorString)(code));
}
GpuStream stream_of(void* stream) {
  return static_cast<GpuStream>(stream);
}
GpuEvent event_of(void* event) {
  return static_cast<GpuEvent>(event);
}

class GpuRuntime final : public Runtime {
 public:
  int count() const override {
    int count = 0;
    return find_count(count) == TRISWEEP_GPU(Success) ? count : 0;
  }
  std::string obstacle() const override {
    int count = 0;
    const auto code = find_count(count);
    if (code == TRISWEEP_GPU(Success)) return count > 0 ? "" : "the driver has none";
    std::string why = TRISWEEP_GPU(GetErrorString)(code);
    if (code != TRISWEEP_GPU(ErrorInsufficientDriver)) return why;
    int driver = 0, needed = 0;
    static_cast<void>(TRISWEEP_GPU(DriverGetVersion)(&driver));
    static_cast<void>(TRISWEEP_GPU(RuntimeGetVersion)(&needed));
    if (driver == 0) return "no driver is installed";
    return why + " (" + version(driver) + ", this build needs " + version(needed) + ')';
  }
  std::string name() const override {
    DeviceProperties properties{};
    check(TRISWEEP_GPU(GetDeviceProperties)(&properties, 0), "asking the device");
    int driver = 0, needed = 0;
    static_cast<void>(TRISWEEP_GPU(DriverGetVersion)(&driver));
    static_cast<void>(TRISWEEP_GPU(RuntimeGetVersion)(&needed));
    return std::string(properties.name) + ", driver for " + version(driver) + ", built for " +
           version(needed);
  }
  int current() const override {
    int number = 0;
    check(TRISWEEP_GPU(GetDevice)(&number), "finding the device");
    return number;
  }
  void take(int device) const override { check(TRISWEEP_GPU(SetDevice)(device), "choosing the device"); }
  void reach(int device) const override {
    int can = 0;
    check(TRISWEEP_GPU(DeviceCanAccessPeer)(&can, current(), device), "asking the device");
    if (can == 0)
      throw Error(
          ErrorKind::environment,
          "GPU " + std::to_string(current()) + " does not reach the memory of GPU " + std::to_string(device),
          "use one of them");
    const auto code = TRISWEEP_GPU(DeviceEnablePeerAccess)(device, 0);
    if (code == TRISWEEP_GPU(ErrorPeerAccessAlreadyEnabled)) {
      static_cast<void>(TRISWEEP_GPU(GetLastError)());
    } else {
      check(code, "reaching another device");
    }
  }

  void* allocate(std::size_t bytes, MemoryUse use) const override {
    void* memory = nullptr;
    if (use == MemoryUse::pinned) {
      check(TRISWEEP_GPU(HostAlloc)(&memory, bytes, portable), "pinned memory");
    } else if (use == MemoryUse::managed) {
      require_free(bytes);
      check(TRISWEEP_GPU(MallocManaged)(&memory, bytes), "managed memory");
#if defined(__HIPCC__)
    } else if (use == MemoryUse::reached) {
      // In ordinary memory AMD's devices see writes of other devices only when a kernel begins.
      check(hipExtMallocWithFlags(&memory, bytes, hipDeviceMallocFinegrained), "memory of the device");
#endif
    } else {
      check(TRISWEEP_GPU(Malloc)(&memory, bytes), "memory of the device");
    }
    return memory;
  }
  void release(void* memory, MemoryUse use) const noexcept override {
    static_cast<void>(use == MemoryUse::pinned ? TRISWEEP_GPU(FreeHost)(memory) : TRISWEEP_GPU(Free)(memory));
  }

  void copy(void* to, std::size_t to_ld, const void* from, std::size_t from_ld, std::size_t bytes,
            std::size_t count, void* stream) const override {
    check(count == 1
              ? TRISWEEP_GPU(MemcpyAsync)(to, from, bytes, TRISWEEP_GPU(MemcpyDefault), stream_of(stream))
              : TRISWEEP_GPU(Memcpy2DAsync)(to, to_ld, from, from_ld, bytes, count,
                                            TRISWEEP_GPU(MemcpyDefault), stream_of(stream)),
          "copying to or from the device");
  }
  void clear(void* memory, std::size_t bytes, void* stream) const override {
    if (bytes > 0)
      check(TRISWEEP_GPU(MemsetAsync)(memory, 0, bytes, stream_of(stream)), "clearing the device's memory");
  }
  void launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments, bool together,
              void* stream) const override {
    check(together ? TRISWEEP_GPU(LaunchCooperativeKernel)(kernel, dim3(blocks), dim3(threads), arguments, 0,
                                                           stream_of(stream))
                   : TRISWEEP_GPU(LaunchKernel)(kernel, dim3(blocks), dim3(threads), arguments, 0,
                                                stream_of(stream)),
          "launching the kernel");
  }
  int resident_blocks(const void* kernel, int threads) const override {
    int of_processor = 0;
    check(TRISWEEP_GPU(OccupancyMaxActiveBlocksPerMultiprocessor)(&of_processor, kernel, threads, 0),
          "asking the device");
    int processors = 0;  // cudaGetDeviceProperties takes a millisecond
    check(TRISWEEP_GPU(DeviceGetAttribute)(&processors, processors_attribute, current()),
          "asking the device");
    return of_processor * processors;
  }

  void* make_stream() const override {
    GpuStream stream{};
    check(TRISWEEP_GPU(StreamCreateWithFlags)(&stream, TRISWEEP_GPU(StreamNonBlocking)), "a stream");
    return stream;
  }
  void free_stream(void* stream) const noexcept override {
    static_cast<void>(TRISWEEP_GPU(StreamDestroy)(stream_of(stream)));
  }
  bool is_idle(void* stream) const override {
    const auto code = TRISWEEP_GPU(StreamQuery)(stream_of(stream));
    if (code == TRISWEEP_GPU(ErrorNotReady)) {
      static_cast<void>(TRISWEEP_GPU(GetLastError)());  // a later call would report it
      return false;
    }
    check(code, "the kernel");
    return true;
  }
  void wait(void* stream) const override {
    check(TRISWEEP_GPU(StreamSynchronize)(stream_of(stream)), "the kernel");
  }
  void* make_event() const override {
    GpuEvent event{};
    check(TRISWEEP_GPU(EventCreate)(&event), "an event");
    return event;
  }
  void free_event(void* event) const noexcept override {
    static_cast<void>(TRISWEEP_GPU(EventDestroy)(event_of(event)));
  }
  void record(void* event, void* stream) const override {
    check(TRISWEEP_GPU(EventRecord)(event_of(event), stream_of(stream)), "an event");
  }
  void wait_for(void* event, void* stream) const override {
    check(TRISWEEP_GPU(StreamWaitEvent)(stream_of(stream), event_of(event), 0), "waiting for a stream");
  }

 private:
  static TRISWEEP_GPU(Error_t) find_count(int& count) {
    const auto code = TRISWEEP_GPU(GetDeviceCount)(&count);
    if (code != TRISWEEP_GPU(Success)) static_cast<void>(TRISWEEP_GPU(GetLastError)());
    return code;
  }
  static std::string version(int of) {
    return std::to_string(of / 1000) + '.' + std::to_string(of % 1000 / 10);
  }
  // Managed memory must fit in the free memory of one device, since it migrates there.
  static void require_free(std::size_t bytes) {
    std::size_t free = 0, total = 0;
    check(TRISWEEP_GPU(MemGetInfo)(&free, &total), "asking the device");
    if (bytes > free)
      throw Error(ErrorKind::environment, "managed memory: more than a device has free",
                  "choose another design, such as push");
  }
};

}  // namespace

const Runtime& gpu_runtime() {
  static const GpuRuntime runtime;
  return runtime;
}

}  // namespace trisweep::backend
