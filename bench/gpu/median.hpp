#pragma once
// Timing of work on a GPU.

#include <algorithm>
#include <vector>

#include "trisweep/core/clock.hpp"

namespace trisweep::bench {

// Median time in seconds, over several repeats, of work that is complete when it returns.
template <class Work>
double median_seconds(const Work& work) {
  constexpr int repeats = 21, before = 3;
  std::vector<double> seconds;
  for (int repeat = -before; repeat < repeats; ++repeat) {
    const auto start = Clock::now();
    work();
    if (repeat >= 0) seconds.push_back(seconds_since(start));
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

}  // namespace trisweep::bench
