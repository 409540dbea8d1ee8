#pragma once
// Ours and others' for the same work, timed in turn, so that whoever else uses the machine hits all of them.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "trisweep/core/clock.hpp"

namespace own {

struct Candidate {
  std::string name;
  std::function<void()> work;
};

struct Effort {
  int rounds;
  int times = 1;                         // in a row
  int calls = 1;                         // for one time: one alone is too short for the clock
  std::chrono::milliseconds pause = {};  // before them, until the last one's threads have gone to sleep
};

// Prints the shortest time of each, and its ratio to the first one's.
inline void compare(const std::string& title, const std::vector<Candidate>& candidates,
                    const Effort& effort) {
  std::vector<double> best(candidates.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < effort.rounds; ++round) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      std::this_thread::sleep_for(effort.pause);
      for (int time = 0; time < effort.times; ++time) {
        const auto start = trisweep::Clock::now();
        for (int call = 0; call < effort.calls; ++call) candidates[c].work();
        best[c] = std::min(best[c], trisweep::seconds_since(start) / effort.calls);
      }
    }
  }
  for (std::size_t c = 0; c < candidates.size(); ++c)
    fmt::print("{:32} {:16} {:12.3f} us {:8.2f}\n", title, candidates[c].name, best[c] * 1e6,
               best[c] / best[0]);
}

}  // namespace own
