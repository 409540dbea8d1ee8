#pragma once
// Waiting for another thread of the same process.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "trisweep/core/clock.hpp"

namespace trisweep {

// Looks whether `ready()` holds for about as long as the system takes to put a thread to sleep and wake it,
// which is longer than most waits inside a solve; gives up the core in between, which the other thread may
// need. False: sleep now.
template <class Ready>
bool soon(const Ready& ready) {
  constexpr auto most_spinning = std::chrono::microseconds(100);
  constexpr int looks = 64;  // a clock and a yield cost as much as these
  const auto start = Clock::now();
  do {
    for (int look = 0; look < looks; ++look) {
      if (ready()) return true;
    }
    std::this_thread::yield();
  } while (Clock::now() - start < most_spinning);
  return false;
}

// Threads take turns; one that is alone need not.
template <class Mutex>
std::unique_lock<Mutex> turn_of(int threads, Mutex& mutex) {
  return threads == 1 ? std::unique_lock<Mutex>() : std::unique_lock(mutex);
}

// What threads share and wait by. Tests of the orders of memory have one of their own.
struct StandardThreads {
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  template <class T>
  using Atomic = std::atomic<T>;
  template <class T>
  using Plain = T;  // what the others order
  template <class Ready>
  static bool soon(const Ready& ready) {
    return trisweep::soon(ready);
  }
};

}  // namespace trisweep
