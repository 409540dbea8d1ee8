#pragma once

#include <string>

#include "trisweep/core/error.hpp"

namespace trisweep {

// Default watchdog: seconds without progress after which a wait for another rank or for a device fails.
inline constexpr double usual_watchdog = 300;

// Throws Error(usage) unless `seconds` is positive; with infinity, waits never fail.
inline void require_watchdog(double seconds) {
  if (seconds > 0) return;
  throw Error(ErrorKind::usage, "the watchdog is given " + std::to_string(seconds) + " seconds",
              "give a positive number, or infinity to wait for ever");
}

}  // namespace trisweep
