#pragma once
// The machine of backend/machine.hpp on the host.

#include <atomic>
#include <chrono>
#include <thread>

namespace trisweep::backend {

template <Scope scope, class C>
TRISWEEP_DEVICE inline C load_acquire(C* at) {
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C load_relaxed(C* at) {
  return __atomic_load_n(at, __ATOMIC_RELAXED);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline void store_release(C* at, std::type_identity_t<C> value) {
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
}

// These return the previous value. Acquire and release:
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add(C* at, std::type_identity_t<C> value) {
  return __atomic_fetch_add(at, value, __ATOMIC_ACQ_REL);
}
// For a counter: the thread that finds its last value acquires what all adding threads have released. A
// thread that adds needs nothing of the others, so that a GPU's L1 cache is not flushed.
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_release(C* at, std::type_identity_t<C> value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELEASE);
}
// For a ticket, which orders nothing.
template <Scope scope, class C>
TRISWEEP_DEVICE inline C add_relaxed(C* at, std::type_identity_t<C> value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <Scope scope, class C>
TRISWEEP_DEVICE inline C exchange(C* at, std::type_identity_t<C> value) {
  return __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL);
}

// For sums whose order does not matter.
template <Scope scope = Scope::device, class R>
TRISWEEP_DEVICE inline void atomic_add(R* at, R value) {
  std::atomic_ref<R>(*at).fetch_add(value, std::memory_order_relaxed);
}

// Time in nanoseconds.
TRISWEEP_DEVICE inline Count now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<Count>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// Called while there is nothing to do: another worker, or another rank, may need the core.
TRISWEEP_DEVICE inline void pause() {
  std::this_thread::yield();
}
inline constexpr bool prefetches = false;
TRISWEEP_DEVICE inline void prefetch(const void* /*at*/) {}

}  // namespace trisweep::backend
