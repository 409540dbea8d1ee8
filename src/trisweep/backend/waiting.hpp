#pragma once
// What ends a kernel that waits for ever: nothing else does, nor ends the process that has it.

#include "trisweep/backend/team.hpp"
#include "trisweep/core/watchdog.hpp"

namespace trisweep::backend {

using trisweep::usual_watchdog;
inline Count nanoseconds(double seconds) {
  return static_cast<Count>(seconds * 1e9);
}

// A worker that waits. `progress`: a counter that grows whenever anything is done; `limit`: nanoseconds in
// which it must, 0: any time.
template <class Word>
class Waiting {
 public:
  TRISWEEP_DEVICE Waiting(Word* progress, Count limit) : progress_(progress), limit_(limit) {}

  // Called after each unsuccessful poll; true now and then: the worker is to do other work.
  TRISWEEP_DEVICE bool looks_around() {
    constexpr int looks = 64;
    return ++look_ % looks == 0;
  }
  // When it does: whether nothing has been done for too long.
  TRISWEEP_DEVICE bool is_too_long() {
    if (const Count here = load_relaxed<Scope::device>(progress_); since_ == 0 || here != done_) {
      done_ = here;
      since_ = now();
      return false;
    }
    return limit_ > 0 && now() - since_ > limit_;
  }
  // After each look: whether the worker is to leave, as all of its device then do. `stalled`: 0, or 1 + the
  // first thing that was waited for too long.
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
