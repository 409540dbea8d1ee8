#pragma once
// What a kernel needs of the machine beneath it, for g++, nvcc and hipcc: counters that threads, and other
// devices, see in order; a clock; a pause.
//
// A release makes all that the thread, or its block before a barrier, has written visible to whoever acquires
// what it released.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda/atomic>
#elif defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

// TRISWEEP_APART: what kernels call, of which several have one in common.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TRISWEEP_DEVICE __host__ __device__
#define TRISWEEP_APART TRISWEEP_DEVICE __noinline__
#else
#define TRISWEEP_DEVICE
#define TRISWEEP_APART
#endif

namespace trisweep::device {

// Of events. Counters only grow: what is waited for in solve e of a program is e times as much as in the
// first, and nothing is cleared between solves.
using Count = std::uint64_t;

// Who sees it: threads of one device, or those of all devices and the host.
enum class Scope { device, system };

#if defined(__CUDA_ARCH__)
template <Scope scope, class C>
using Atomic =
    ::cuda::atomic_ref<C, scope == Scope::device ? ::cuda::thread_scope_device : ::cuda::thread_scope_system>;
#elif defined(__HIP_DEVICE_COMPILE__)
template <Scope scope>
inline constexpr int threads_of =
    scope == Scope::device ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_SYSTEM;
#endif

template <Scope scope, class C>
TRISWEEP_DEVICE inline C load_acquire(C* at) {
#if defined(__CUDA_ARCH__)
  return Atomic<scope, C>(*at).load(::cuda::memory_order_acquire);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __hip_atomic_load(at, __ATOMIC_ACQUIRE, threads_of<scope>);
#else
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
#endif
}

template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_release(C* at, std::type_identity_t<C> value) {
#if defined(__CUDA_ARCH__)
  Atomic<scope, C>(*at).store(value, ::cuda::memory_order_release);
#elif defined(__HIP_DEVICE_COMPILE__)
  __hip_atomic_store(at, value, __ATOMIC_RELEASE, threads_of<scope>);
#else
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
#endif
}

// Acquires and releases; returns what was there before.
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add(C* at, std::type_identity_t<C> value) {
#if defined(__CUDA_ARCH__)
  return Atomic<scope, C>(*at).fetch_add(value, ::cuda::memory_order_acq_rel);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __hip_atomic_fetch_add(at, value, __ATOMIC_ACQ_REL, threads_of<scope>);
#else
  return __atomic_fetch_add(at, value, __ATOMIC_ACQ_REL);
#endif
}
// The same.
template <Scope scope, class C>
TRISWEEP_DEVICE inline C exchange(C* at, std::type_identity_t<C> value) {
#if defined(__CUDA_ARCH__)
  return Atomic<scope, C>(*at).exchange(value, ::cuda::memory_order_acq_rel);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __hip_atomic_exchange(at, value, __ATOMIC_ACQ_REL, threads_of<scope>);
#else
  return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);
#endif
}

// For sums whose order does not matter.
template <Scope scope = Scope::device, class R>
TRISWEEP_DEVICE inline void atomic_add(R* at, R value) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if constexpr (scope == Scope::device) {
    atomicAdd(at, value);
  } else {
    atomicAdd_system(at, value);
  }
#else
  std::atomic_ref<R>(*at).fetch_add(value, std::memory_order_relaxed);
#endif
}

// In nanoseconds.
TRISWEEP_DEVICE inline Count now() {
#if defined(__CUDA_ARCH__)
  Count time = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
#elif defined(__HIP_DEVICE_COMPILE__)
  constexpr Count nanoseconds_per_tick = 10;  // the clock that never stops: 100 MHz on every CDNA chip
  return nanoseconds_per_tick * __builtin_amdgcn_s_memrealtime();
#else
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<Count>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
#endif
}

// While there is nothing to do.
TRISWEEP_DEVICE inline void pause() {
#if defined(__CUDA_ARCH__)
  __nanosleep(20);
#elif defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_s_sleep(1);
#else
  std::this_thread::yield();  // another worker, or another rank, may need the core
#endif
}

}  // namespace trisweep::device
