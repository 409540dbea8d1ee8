#pragma once
// Lets calls of one object take turns, since they share its working memory.

#include <nanobind/nanobind.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "trisweep/core/error.hpp"

namespace trisweep::python {

namespace nb = nanobind;

class Turns {
 public:
  // Held during a call.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns) { turns_.owner_ = std::this_thread::get_id(); }
    ~Turn() {
      turns_.owner_ = std::thread::id();
      turns_.mutex_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& turns_;
  };

  // Waits for the turn, without the GIL meanwhile. Called with the GIL held, so that no other thread calls it
  // before process_ is set. Throws Error(usage) if the calling thread has the turn (a signal handler, or a
  // function that the object calls, calls the object), and in a forked child if a thread of the parent had it
  // at the fork: in the child that turn never ends.
  Turn take() {
    if (!mutex_.try_lock()) {
      if (process_ != getpid())
        throw Error(ErrorKind::usage,
                    "another thread was at work in this object when this process was forked",
                    "make another one in this process");
      if (owner_ == std::this_thread::get_id())
        throw Error(ErrorKind::usage,
                    "this object is at work: it was called by a function that it has called, or by a handler "
                    "of a signal",
                    "call it when its call has ended, or make another one");
      const nb::gil_scoped_release others_run;
      mutex_.lock();
    }
    process_ = getpid();
    return Turn(*this);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
  pid_t process_ = getpid();  // of the last turn
};

}  // namespace trisweep::python
