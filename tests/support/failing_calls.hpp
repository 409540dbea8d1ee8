#pragma once
// Allocations, votes and calls of MPI that fail, one at a time: failing_calls.cpp defines them for the
// program.

#include <atomic>

namespace trisweep::testing_support {

// Counts down to the event that fails; below zero nothing does.
class Countdown {
 public:
  void start(int events) {
    fired_ = false;
    left_ = events;
  }
  void stop() { left_ = -1; }
  bool fired() const { return fired_; }
  // What is not to fail comes in between.
  void pause(bool paused) { paused_ = paused; }
  bool fails() {
    if (paused_ || left_.load() < 0 || left_.fetch_sub(1) != 0) return false;
    fired_ = true;
    return true;
  }

 private:
  std::atomic<int> left_ = -1;
  std::atomic<bool> fired_ = false;
  std::atomic<bool> paused_ = false;
};

inline Countdown allocations;
inline Countdown agreements;  // votes, as of a rank that has met an error
inline Countdown transfers;   // calls of MPI that begin one
inline Countdown polls;       // that look for one, or whether one has ended
inline Countdown makers;      // that make and free communicators and windows
inline Countdown attributes;  // that read and set what communicators have

// While it lives, nothing fails.
class Undisturbed {
 public:
  Undisturbed() { pause(true); }
  ~Undisturbed() { pause(false); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  static void pause(bool paused) {
    for (Countdown* const each : {&allocations, &agreements, &transfers, &polls, &makers, &attributes})
      each->pause(paused);
  }
};

inline int communicators = 0;  // that were made and not freed

}  // namespace trisweep::testing_support
