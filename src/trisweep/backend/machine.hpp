#pragma once
// What a kernel needs of the machine beneath it: counters that threads, and other devices, see in order; a
// clock; a pause. Counters are Counts; tests of the orders of memory have a type and functions of their own.
//
// A release makes all that the thread, or its block before a barrier, has written visible to a thread that
// acquires what it released. One fence does so for several stores and additions behind it (release_fence(),
// store_fenced(), add_fenced()): on a GPU each release of its own would wait for all that is under way.

#include <cstdint>
#include <type_traits>

namespace trisweep::backend {

// Of events. Counters only grow: what is waited for in solve e of a program is e times as much as in the
// first, and nothing is cleared between solves.
using Count = std::uint64_t;

// In the place of an item's number.
inline constexpr Count no_item = ~Count{0};

// Who sees it: threads of one device, or those of all devices and the host.
enum class Scope { device, system };

}  // namespace trisweep::backend

// TRISWEEP_DEVICE: what kernels call. TRISWEEP_DEVICE_INLINE: what no kernel is to call by address, as
// compilers do with what is large, since its objects are in memory then: a thread's stack.
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

// Behind a release fence a relaxed operation releases. Without one (where it would cost more, or the thread
// sanitizer, which knows no fences, watches) each releases by itself.
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

// Whether a counter has come to a value, and then acquires what it was released with. To acquire flushes a
// GPU's L1 cache, which its neighbours read from: looks that find too little do not.
template <Scope scope, class Word>
TRISWEEP_DEVICE inline bool has_reached(Word* at, Count value) {
  return load_relaxed<scope>(at) >= value && load_acquire<scope>(at) >= value;
}

}  // namespace trisweep::backend
