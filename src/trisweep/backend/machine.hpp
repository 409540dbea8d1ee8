#pragma once
// What a kernel needs of the machine beneath it: counters that threads, and other devices, observe in order;
// a clock; a pause. Counters are of type Count; tests of memory orders substitute a type and functions of
// their own.
//
// A release makes all writes of the thread, or of its block before a barrier, visible to a thread that
// acquires the released value. One fence does so for several stores and additions after it (release_fence(),
// store_fenced(), add_fenced()): on a GPU each separate release would wait for all pending writes.

#include <cstdint>
#include <type_traits>

namespace trisweep::backend {

// Counts events. Counters only grow: the value waited for in solve e of a program is e times that of the
// first solve, and nothing is reset between solves.
using Count = std::uint64_t;

// Used in place of an item's number if there is no item.
inline constexpr Count no_item = ~Count{0};

// Observers: threads of one device, or those of all devices and the host.
enum class Scope { device, system };

}  // namespace trisweep::backend

// TRISWEEP_DEVICE: functions that kernels call. TRISWEEP_DEVICE_INLINE: functions that must be inlined: a
// compiler would call a large one by address, which puts its objects in memory, on the thread's stack.
#if defined(__CUDACC__) || defined(__HIPCC__)
#include "trisweep/backend/gpu/machine.hpp"
#else
#define TRISWEEP_DEVICE
#define TRISWEEP_DEVICE_INLINE TRISWEEP_DEVICE inline
#endif
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#include "trisweep/backend/emulated/machine.hpp"
#endif

namespace trisweep::backend {

// After a release fence a relaxed operation acts as a release. Without a fence (where it would cost more, or
// for the thread sanitizer, which does not support fences) each operation is a release itself.
#if defined(TRISWEEP_RELEASE_FENCE)
template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_fenced(C* at, std::type_identity_t<C> value) {
  store_relaxed<scope>(at, value);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_fenced(C* at, std::type_identity_t<C> value) {
  return add_relaxed<scope>(at, value);
}
#else
template <Scope scope>
TRISWEEP_DEVICE inline void release_fence() {}
template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_fenced(C* at, std::type_identity_t<C> value) {
  store_release<scope>(at, value);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_fenced(C* at, std::type_identity_t<C> value) {
  return add_release<scope>(at, value);
}
#endif

// True if a counter has reached a value; then acquires what was released with it. An acquire flushes a GPU's
// L1 cache, from which neighbouring blocks read: polls that find a smaller value do not acquire.
template <Scope scope, class Word>
TRISWEEP_DEVICE inline bool has_reached(Word* at, Count value) {
  return load_relaxed<scope>(at) >= value && load_acquire<scope>(at) >= value;
}

}  // namespace trisweep::backend
