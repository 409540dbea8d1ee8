#pragma once
// CUDA's language and run time for a machine without a GPU, as far as this project uses them: the same sources,
// compiled by the host's compiler, run their kernels on blocks of several threads (fake_cuda/blocks.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fake_cuda/blocks.hpp"

#define __host__
#define __device__
#define __noinline__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
// A block's threads are fibers of one thread of the host.
#define __shared__ static thread_local

struct dim3 {
  explicit dim3(unsigned count) : x(count) {}
  unsigned x;
};
#define threadIdx (fake_cuda::here().thread)
#define blockIdx (fake_cuda::here().block)
#define blockDim (fake_cuda::here().size)

inline void __syncthreads() {
  fake_cuda::here().sync();
}
inline void __syncwarp() {
  fake_cuda::here().sync_warp();
}
template <class V>
V __shfl_xor_sync(unsigned /*all*/, V value, int bit, int /*all*/) {
  return fake_cuda::here().from_lane(value, fake_cuda::here().lane() ^ static_cast<unsigned>(bit));
}
template <class V>
V __shfl_sync(unsigned /*all*/, V value, int lane, int /*all*/) {
  return fake_cuda::here().from_lane(value, static_cast<unsigned>(lane));
}
inline void __nanosleep(unsigned /*nanoseconds*/) {
  fake_cuda::pause();
}
inline int __all_sync(unsigned /*all*/, int is_so) {
  for (int bit = 1; bit < static_cast<int>(fake_cuda::lanes); bit *= 2)
    is_so &= __shfl_xor_sync(0, is_so, bit, 0);
  return is_so;
}
inline unsigned __ballot_sync(unsigned /*all*/, int is_so) {
  unsigned found = is_so != 0 ? 1U << (threadIdx.x % fake_cuda::lanes) : 0;
  for (int bit = 1; bit < static_cast<int>(fake_cuda::lanes); bit *= 2) found |= __shfl_xor_sync(0, found, bit, 0);
  return found;
}
template <class R>
void atomicAdd(R* at, R value) {
  fake_cuda::check_scope(at, true);
  std::atomic_ref<R>(*at).fetch_add(value, std::memory_order_relaxed);
}
template <class R>
void atomicAdd_system(R* at, R value) {
  fake_cuda::check_scope(at, false);
  std::atomic_ref<R>(*at).fetch_add(value, std::memory_order_relaxed);
}

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorCooperativeLaunchTooLarge = 720
};
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaHostAllocPortable = 1;
struct cudaDeviceProp {
  char name[256];
};
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
using cudaStream_t = struct FakeStream*;
using cudaEvent_t = struct FakeEvent*;

// How often threads of the host have waited for a stream: by its name, by a copy to memory that is not pinned,
// or until a query found it idle.
long fake_cuda_waits();
// Memory of another's that counts as the current device's, until it is given up.
void fake_cuda_adopt(const void* memory, std::size_t bytes);
void fake_cuda_give_up(const void* memory);

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes);
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t bytes, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t cudaLaunchKernel(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                             std::size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                                        std::size_t shared, cudaStream_t stream);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
