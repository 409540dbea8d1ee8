// CUDA's run time without a GPU: a stream is a thread, a copy between pageable memory and a device's waits
// for it, and launches run the kernels' source on blocks of fibers.
//
// FAKE_CUDA_DEVICES in the environment: how many GPUs there are (4). FAKE_CUDA_DRIVER=old: the driver is
// older than the run time.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cuda_runtime.h"
#include "trisweep/core/thread_pool.hpp"

namespace {

// Blocks that are resident at a time, and threads of a worker at most: two warps show what several do. Of
// other launches the host counts the warps, which are all there.
constexpr int resident_blocks = 4;
constexpr unsigned most_threads_of_worker = 2 * fake_cuda::lanes;

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = 0;

cudaError_t returned(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

bool has_old_driver() {
  const char* const driver = std::getenv("FAKE_CUDA_DRIVER");
  return driver != nullptr && std::string_view(driver) == "old";
}
int devices() {
  const char* const count = std::getenv("FAKE_CUDA_DEVICES");
  return count == nullptr ? 4 : std::atoi(count);
}

}  // namespace

// Its thread does what it is given, in order.
class FakeStream {
 public:
  explicit FakeStream(int device) : device_(device), thread_([this] { serve(); }) {}
  ~FakeStream() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  int device() const { return device_; }
  trisweep::ThreadPool& blocks() { return blocks_; }

  void put(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_all();
  }
  bool is_idle() {
    const std::lock_guard lock(mutex_);
    return queue_.empty();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty(); });
  }

 private:
  void serve() {
    current_device = device_;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      lock.unlock();
      queue_.front()();
      lock.lock();
      queue_.pop_front();
      changed_.notify_all();
    }
  }

  int device_;
  trisweep::ThreadPool blocks_{resident_blocks};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::function<void()>> queue_;
  bool ended_ = false;
  std::thread thread_;
};

// What comes after it waits until all has come to pass that was before when it was recorded last.
struct FakeEvent {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    long recorded = 0, passed = 0;
  };
  std::shared_ptr<State> state = std::make_shared<State>();
};

namespace {

struct Allocation {
  std::size_t bytes;
  int device;
};

// All streams, those without a name by device, and what is allocated.
struct Machine {
  std::mutex mutex;
  std::map<int, std::unique_ptr<FakeStream>> usual;
  std::map<FakeStream*, std::unique_ptr<FakeStream>> streams;
  std::map<const std::byte*, Allocation> memory;

  FakeStream& stream(cudaStream_t stream) {
    if (stream != nullptr) return *stream;
    const std::lock_guard lock(mutex);
    auto& usual_one = usual[current_device];
    if (usual_one == nullptr) usual_one = std::make_unique<FakeStream>(current_device);
    return *usual_one;
  }
  bool is_of_device(const void* at) {
    const std::lock_guard lock(mutex);
    const auto* const byte = static_cast<const std::byte*>(at);
    const auto behind = memory.upper_bound(byte);
    if (behind == memory.begin()) return false;
    const auto& [begin, allocation] = *std::prev(behind);
    return byte < begin + allocation.bytes;
  }
  void wait_for_device(int device) {
    std::vector<FakeStream*> all;
    {
      const std::lock_guard lock(mutex);
      for (auto& [number, stream] : usual)
        if (number == device) all.push_back(stream.get());
      for (auto& [stream, owner] : streams)
        if (stream->device() == device) all.push_back(stream);
    }
    for (FakeStream* stream : all) stream->wait();
  }
};
Machine& machine() {
  static Machine one;
  return one;
}

std::atomic<long> waits{0};

// Words are copied as such where they are few, though kernels that run may look at them, or write: the host
// ends such by one, and hears from them by others.
void copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t few = 4096;
  const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (bytes > few || (bytes | places) % sizeof(long) != 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes / sizeof(long); ++i)
    __atomic_store_n(static_cast<long*>(to) + i,
                     __atomic_load_n(static_cast<const long*>(from) + i, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

cudaError_t put(cudaStream_t stream, std::function<void()> work, bool waits) {
  FakeStream& to = machine().stream(stream);
  to.put(std::move(work));
  if (waits) to.wait();
  return cudaSuccess;
}

cudaError_t launch(const void* kernel, unsigned blocks, unsigned threads, void** arguments, bool together,
                   cudaStream_t stream) {
  if (blocks == 0 || threads == 0 || threads % fake_cuda::lanes != 0) return returned(cudaErrorInvalidValue);
  if (together && blocks > unsigned{resident_blocks}) return returned(cudaErrorCooperativeLaunchTooLarge);
  const auto& of = *static_cast<const fake_cuda::Kernel*>(kernel);
  const std::shared_ptr<void> argument(std::aligned_alloc(64, (of.argument_bytes + 63) / 64 * 64), std::free);
  std::memcpy(argument.get(), arguments[0], of.argument_bytes);
  FakeStream& to = machine().stream(stream);
  return put(
      &to,
      [&to, &of, argument, blocks, threads = together ? std::min(threads, most_threads_of_worker) : threads] {
        to.blocks().run([&](int thread) {
          for (auto number = static_cast<unsigned>(thread); number < blocks; number += resident_blocks)
            fake_cuda::run_block(of, argument.get(), number, threads, to.device());
        });
      },
      false);
}

}  // namespace

long fake_cuda_waits() {
  return waits;
}
void fake_cuda_adopt(const void* memory, std::size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  machine().memory[static_cast<const std::byte*>(memory)] = {bytes, current_device};
}
void fake_cuda_give_up(const void* memory) {
  const std::lock_guard lock(machine().mutex);
  machine().memory.erase(static_cast<const std::byte*>(memory));
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorNotReady:
      return "device not ready";
    default:
      return "invalid argument";
  }
}
cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = has_old_driver() ? 12000 : 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  if (has_old_driver()) return returned(cudaErrorInsufficientDriver);
  if (devices() == 0) return returned(cudaErrorNoDevice);
  *count = devices();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices()) return returned(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  machine().wait_for_device(current_device);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  *properties = {.name = "a GPU that is not there"};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr /*processors*/, int /*device*/) {
  *value = resident_blocks;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned /*flags*/) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, bool> reached;
  const std::lock_guard lock(mutex);
  return std::exchange(reached[{current_device, peer}], true) ? returned(cudaErrorPeerAccessAlreadyEnabled)
                                                              : cudaSuccess;
}

// What is there first are no numbers.
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (*memory == nullptr) return returned(cudaErrorMemoryAllocation);
  std::memset(*memory, 0xff, bytes);
  const std::lock_guard lock(machine().mutex);
  machine().memory[static_cast<const std::byte*>(*memory)] = {bytes, current_device};
  return cudaSuccess;
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes) {
  return cudaMalloc(memory, bytes);
}
// Pinned: copies with it wait for no stream.
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 30;
  return cudaSuccess;
}
// Waits for all of the device, as CUDA does.
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  Allocation allocation{};
  {
    const std::lock_guard lock(machine().mutex);
    const auto found = machine().memory.find(static_cast<const std::byte*>(memory));
    if (found == machine().memory.end()) return returned(cudaErrorInvalidValue);
    allocation = found->second;
    machine().memory.erase(found);
  }
  machine().wait_for_device(allocation.device);
  fake_cuda::forget_scope(memory, allocation.bytes);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return put(
      stream, [=] { std::memset(memory, value, bytes); }, false);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t bytes, std::size_t rows, cudaMemcpyKind /*kind*/,
                              cudaStream_t stream) {
  const bool is_pageable = !machine().is_of_device(to) || !machine().is_of_device(from);
  if (!machine().is_of_device(to)) ++waits;
  return put(
      stream,
      [=] {
        for (std::size_t row = 0; row < rows; ++row)
          copy(static_cast<std::byte*>(to) + row * to_pitch,
               static_cast<const std::byte*>(from) + row * from_pitch, bytes);
      },
      is_pageable);
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                             std::size_t /*shared*/, cudaStream_t stream) {
  return launch(kernel, blocks.x, threads.x, arguments, false, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                                        std::size_t /*shared*/, cudaStream_t stream) {
  return launch(kernel, blocks.x, threads.x, arguments, true, stream);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* /*kernel*/,
                                                          int /*threads*/, std::size_t /*shared*/) {
  *blocks = 1;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  auto made = std::make_unique<FakeStream>(current_device);
  *stream = made.get();
  const std::lock_guard lock(machine().mutex);
  machine().streams[*stream] = std::move(made);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  std::unique_ptr<FakeStream> owner;
  const std::lock_guard lock(machine().mutex);
  owner = std::move(machine().streams.at(stream));
  machine().streams.erase(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (!machine().stream(stream).is_idle()) return returned(cudaErrorNotReady);
  ++waits;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  machine().stream(stream).wait();
  ++waits;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new FakeEvent;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const auto state = event->state;
  long number = 0;
  {
    const std::lock_guard lock(state->mutex);
    number = ++state->recorded;
  }
  return put(
      stream,
      [state, number] {
        {
          const std::lock_guard lock(state->mutex);
          state->passed = number;
        }
        state->changed.notify_all();
      },
      false);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  const auto state = event->state;
  long number = 0;
  {
    const std::lock_guard lock(state->mutex);
    number = state->recorded;
  }
  return put(
      stream,
      [state, number] {
        std::unique_lock lock(state->mutex);
        state->changed.wait(lock, [&] { return state->passed >= number; });
      },
      false);
}
