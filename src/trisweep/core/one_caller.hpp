#pragma once
// For objects that only one thread may call at a time.

#include <atomic>

#include "trisweep/core/error.hpp"

namespace trisweep {

// Marks a call in progress during its lifetime. Constructing it during another call throws Error(usage) and
// leaves that call unharmed.
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
