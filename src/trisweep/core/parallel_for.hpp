#pragma once
// A loop over items of unequal work, distributed dynamically over threads.

#include <atomic>

#include "trisweep/core/thread_pool.hpp"

namespace trisweep {

// Calls work(thread, item) for each item of [0, count), in ascending order as threads become free. The first
// exception ends the loop and is rethrown.
template <class Work>
void parallel_for(ThreadPool& pool, std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  pool.run([&](int thread) {
    try {
      for (std::size_t item = next++; item < count; item = next++) work(thread, item);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace trisweep
