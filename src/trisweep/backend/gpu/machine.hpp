#pragma once
// Implements backend/machine.hpp on GPUs, compiled by nvcc or hipcc.

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#else
#include <cuda/atomic>
#include <cuda/ptx>
#endif

#define TRISWEEP_DEVICE __host__ __device__
#define TRISWEEP_DEVICE_INLINE TRISWEEP_DEVICE __forceinline__

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)

namespace trisweep::backend {

#if defined(__CUDA_ARCH__)

template <Scope scope, class C>
using Atomic =
    ::cuda::atomic_ref<C, scope == Scope::device ? ::cuda::thread_scope_device : ::cuda::thread_scope_system>;

template <Scope scope, class C>
TRISWEEP_DEVICE inline C load_acquire(C* at) {
  return Atomic<scope, C>(*at).load(::cuda::memory_order_acquire);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C load_relaxed(C* at) {
  return Atomic<scope, C>(*at).load(::cuda::memory_order_relaxed);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_release(C* at, std::type_identity_t<C> value) {
  Atomic<scope, C>(*at).store(value, ::cuda::memory_order_release);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add(C* at, std::type_identity_t<C> value) {
  return Atomic<scope, C>(*at).fetch_add(value, ::cuda::memory_order_acq_rel);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_release(C* at, std::type_identity_t<C> value) {
  return Atomic<scope, C>(*at).fetch_add(value, ::cuda::memory_order_release);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_relaxed(C* at, std::type_identity_t<C> value) {
  return Atomic<scope, C>(*at).fetch_add(value, ::cuda::memory_order_relaxed);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C exchange(C* at, std::type_identity_t<C> value) {
  return Atomic<scope, C>(*at).exchange(value, ::cuda::memory_order_acq_rel);
}
// On older chips a fence also acquires, which flushes the L1 cache.
#if __CUDA_ARCH__ >= 900 && !defined(TRISWEEP_RELEASE_FENCE)
#define TRISWEEP_RELEASE_FENCE
#endif
#if defined(TRISWEEP_RELEASE_FENCE)
template <Scope scope>
TRISWEEP_DEVICE inline void release_fence() {
  if constexpr (scope == Scope::device) {
    ::cuda::ptx::fence(::cuda::ptx::sem_release, ::cuda::ptx::scope_gpu);
  } else {
    ::cuda::ptx::fence(::cuda::ptx::sem_release, ::cuda::ptx::scope_sys);
  }
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_relaxed(C* at, std::type_identity_t<C> value) {
  Atomic<scope, C>(*at).store(value, ::cuda::memory_order_relaxed);
}
#endif
TRISWEEP_DEVICE inline Count now() {
  return ::cuda::ptx::get_sreg_globaltimer();
}
TRISWEEP_DEVICE inline void pause() {
  __nanosleep(20);
}

#else

template <Scope scope>
inline constexpr int threads_of =
    scope == Scope::device ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_SYSTEM;

template <Scope scope, class C>
TRISWEEP_DEVICE inline C load_acquire(C* at) {
  return __hip_atomic_load(at, __ATOMIC_ACQUIRE, threads_of<scope>);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C load_relaxed(C* at) {
  return __hip_atomic_load(at, __ATOMIC_RELAXED, threads_of<scope>);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_release(C* at, std::type_identity_t<C> value) {
  __hip_atomic_store(at, value, __ATOMIC_RELEASE, threads_of<scope>);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add(C* at, std::type_identity_t<C> value) {
  return __hip_atomic_fetch_add(at, value, __ATOMIC_ACQ_REL, threads_of<scope>);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_release(C* at, std::type_identity_t<C> value) {
  return __hip_atomic_fetch_add(at, value, __ATOMIC_RELEASE, threads_of<scope>);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_relaxed(C* at, std::type_identity_t<C> value) {
  return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, threads_of<scope>);
}
#define TRISWEEP_RELEASE_FENCE
template <Scope scope>
TRISWEEP_DEVICE inline void release_fence() {
  if constexpr (scope == Scope::device) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  } else {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
  }
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_relaxed(C* at, std::type_identity_t<C> value) {
  __hip_atomic_store(at, value, __ATOMIC_RELAXED, threads_of<scope>);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C exchange(C* at, std::type_identity_t<C> value) {
  return __hip_atomic_exchange(at, value, __ATOMIC_ACQ_REL, threads_of<scope>);
}
TRISWEEP_DEVICE inline Count now() {
  constexpr Count nanoseconds_per_tick = 10;  // the clock that never stops: 100 MHz on every CDNA chip
  return nanoseconds_per_tick * __builtin_amdgcn_s_memrealtime();
}
TRISWEEP_DEVICE inline void pause() {
  __builtin_amdgcn_s_sleep(1);
}

#endif

// Loads a cache line into the L2 cache, without any thread waiting for it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
inline constexpr bool prefetches = true;
TRISWEEP_DEVICE inline void prefetch(const void* at) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}
#else
inline constexpr bool prefetches = false;
TRISWEEP_DEVICE inline void prefetch(const void* /*at*/) {}
#endif

template <Scope scope = Scope::device, class R>
TRISWEEP_DEVICE inline void atomic_add(R* at, R value) {
  if constexpr (scope == Scope::device) {
    atomicAdd(at, value);
  } else {
    atomicAdd_system(at, value);
  }
}

}  // namespace trisweep::backend

#endif
