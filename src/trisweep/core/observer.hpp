#pragma once
// How long work reports what it does, and can be ended. The library never prints: a caller that wants
// progress hands in an Observer (the command line draws a line on the terminal; tests record events). What a
// method of it throws ends the work, and reaches the caller as any error of the work does.

#include <string_view>

namespace trisweep {

// Is told of progress; the methods here do nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  // Stage `name` has done `fraction` (0 to 1) of its work. Called often; must be cheap, and may be called
  // from any thread of the stage, one at a time.
  virtual void progress(std::string_view /*stage*/, double /*fraction*/) {}
  // The same without news, some times a second where the work allows it, also from the thread that called
  // while that waits for others.
  virtual void poll() {}
};

// One that ignores all, for callers that do not care. Throws nothing.
Observer& silent_observer();

}  // namespace trisweep
