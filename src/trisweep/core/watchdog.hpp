#pragma once

#include <string>

#include "trisweep/core/error.hpp"

namespace trisweep {

// Seconds without progress after which a wait for another rank or for a device fails, where nobody says
// otherwise.
inline constexpr double usual_watchdog = 300;

// Throws Error(usage) unless it is a time, or infinity, with which waits never fail.
inline void require_watchdog(double seconds) {
  if (seconds > 0) return;
  throw Error(ErrorKind::usage, "the watchdog is given " + std::to_string(seconds) + " seconds",
              "give a positive number, or infinity to wait for ever");
}

}  // namespace trisweep
