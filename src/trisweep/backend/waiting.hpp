#pragma once
// Ends a kernel that would wait for ever: nothing else can end it, nor the process that runs it.

#include "trisweep/backend/team.hpp"
#include "trisweep/core/watchdog.hpp"

namespace trisweep::backend {

using trisweep::usual_watchdog;
inline Count nanoseconds(double seconds) {
  return static_cast<Count>(seconds * 1e9);
}

// State of a waiting worker. `progress`: a counter that grows whenever any work is done; `limit`: nanoseconds
// without progress after which to give up, 0: never.
template <class Word>
class Waiting {
 public:
  TRISWEEP_DEVICE Waiting(Word* progress, Count limit) : progress_(progress), limit_(limit) {}

  // Called after each unsuccessful poll; true once in a while, when the worker should check for failures.
  TRISWEEP_DEVICE bool looks_around() {
    constexpr int looks = 64;
    return ++look_ % looks == 0;
  }
  // Called when looks_around() is true: true if there has been no progress for too long.
  TRISWEEP_DEVICE bool is_too_long() {
    if (const Count here = load_relaxed<Scope::device>(progress_); since_ == 0 || here != done_) {
      done_ = here;
      since_ = now();
      return false;
    }
    return limit_ > 0 && now() - since_ > limit_;
  }
  // Called after each unsuccessful poll: true if the worker must leave, as all workers of its device then do.
  // `stalled`: 0, or 1 + the first `thing` that was waited for too long.
  TRISWEEP_DEVICE bool leaves(Word* stalled, Count thing) {
    if (!looks_around()) return false;
    if (load_relaxed<Scope::device>(stalled) != 0) return true;
    if (!is_too_long()) return false;
    store_release<Scope::device>(stalled, 1 + thing);
    return true;
  }

 private:
  Word* progress_;
  Count limit_;
  Count done_ = 0, since_ = 0;
  int look_ = 0;
};

}  // namespace trisweep::backend
