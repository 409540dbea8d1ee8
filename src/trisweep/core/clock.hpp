#pragma once
// Measures the time of a step.

#include <chrono>

namespace trisweep {

using Clock = std::chrono::steady_clock;

// The time from `start` until now, in seconds. Throws nothing.
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace trisweep
