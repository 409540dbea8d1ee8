#pragma once
// Waiting for another thread of the same process.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "trisweep/core/clock.hpp"

namespace trisweep {

// Spins until `ready()` holds, at most about as long as the system takes to put a thread to sleep and wake
// it, which is longer than most waits inside a solve. Yields the core in between, which the other thread may
// need. Returns false if the caller should sleep now.
template <class Ready>
bool soon(const Ready& ready) {
  constexpr auto most_spinning = std::chrono::microseconds(100);
  constexpr int looks = 64;  // these cost as much as reading the clock and a yield
  const auto start = Clock::now();
  do {
    for (int look = 0; look < looks; ++look) {
      if (ready()) return true;
    }
    std::this_thread::yield();
  } while (Clock::now() - start < most_spinning);
  return false;
}

// Locks `mutex`, unless there is only one thread.
template <class Mutex>
std::unique_lock<Mutex> turn_of(int threads, Mutex& mutex) {
  return threads == 1 ? std::unique_lock<Mutex>() : std::unique_lock(mutex);
}

// The types that threads synchronize by. Tests of memory orders substitute their own.
struct StandardThreads {
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  template <class T>
  using Atomic = std::atomic<T>;
  template <class T>
  using Plain = T;  // plain data, whose accesses the types above order
  template <class Ready>
  static bool soon(const Ready& ready) {
    return trisweep::soon(ready);
  }
};

}  // namespace trisweep
