#pragma once
// Objects whose calls are one thread's at a time.

#include <atomic>

#include "trisweep/core/error.hpp"

namespace trisweep {

// A call, as long as it lives. Throws Error(usage) during another one, which goes on unharmed.
class OneCaller {
 public:
  explicit OneCaller(std::atomic_flag& busy) : busy_(busy) {
    if (busy_.test_and_set(std::memory_order_acquire))
      throw Error(ErrorKind::usage, "this object was called from two threads at once",
                  "let calls take turns, or give each thread an object of its own");
  }
  ~OneCaller() { busy_.clear(std::memory_order_release); }
  OneCaller(const OneCaller&) = delete;
  OneCaller& operator=(const OneCaller&) = delete;

 private:
  std::atomic_flag& busy_;
};

}  // namespace trisweep
