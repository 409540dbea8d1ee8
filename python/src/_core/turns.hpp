#pragma once
// Calls of one object, which take turns: it has one memory to work in.

#include <nanobind/nanobind.h>
#include <sys/types.h>
#include <unistd.h>

#include <mutex>

#include "trisweep/core/error.hpp"

namespace trisweep::python {

namespace nb = nanobind;

class Turns {
 public:
  // Waits while the interpreter goes on. With the GIL held, so that no other asks before process_ is set.
  // Throws Error(usage) in a forked child where a thread of the parent had the turn: none ends it here.
  std::unique_lock<std::mutex> take() {
    std::unique_lock turn(mutex_, std::try_to_lock);
    if (!turn) {
      if (process_ != getpid())
        throw Error(ErrorKind::usage,
                    "another thread was at work in this object when this process was forked",
                    "make another one in this process");
      const nb::gil_scoped_release others_run;
      turn.lock();
    }
    process_ = getpid();
    return turn;
  }

 private:
  std::mutex mutex_;
  pid_t process_ = getpid();  // of the last turn
};

}  // namespace trisweep::python
