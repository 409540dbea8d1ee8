#pragma once

namespace trisweep {

// Seconds without progress after which a wait for another rank or for a device fails, where nobody says
// otherwise.
inline constexpr double usual_watchdog = 300;

}  // namespace trisweep
