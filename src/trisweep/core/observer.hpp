#pragma once
// Progress reports of long work, and a way to end it. The library never prints: a caller that wants progress
// hands in an Observer (the command line draws a line on the terminal; tests record events). An exception
// from one of its methods ends the work and reaches the caller like any other error of the work.

#include <string_view>

namespace trisweep {

// Receives progress reports; the methods of this base class do nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called when `stage` has done `fraction` (0 to 1) of its work. Called often, so it must be cheap, and may
  // be called from any thread of the stage, one at a time.
  virtual void progress(std::string_view /*stage*/, double /*fraction*/) {}
  // Called without progress to report, several times a second where the work allows it, also from the calling
  // thread while it waits for others.
  virtual void poll() {}
};

// An observer that ignores all reports. Throws nothing.
Observer& silent_observer();

}  // namespace trisweep
