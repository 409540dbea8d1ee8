#pragma once
// Allocations, votes and calls of MPI that fail, one at a time: failing_calls.cpp defines them for the
// program.

#include <array>
#include <atomic>
#include <chrono>

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
  // That many are still to come before one fails.
  int left() const { return left_; }
  // What is not to fail comes in between. Whether it was so before.
  bool pause(bool paused) { return paused_.exchange(paused); }
  bool fails() {
    if (paused_ || left_.load() < 0 || left_.fetch_sub(1) != 0) return false;
    fired_at_ = seconds();
    fired_ = true;
    return true;
  }
  double fired_at() const { return fired_at_; }
  // By a clock that all processes of a machine share.
  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  std::atomic<int> left_ = -1;
  std::atomic<bool> fired_ = false;
  std::atomic<bool> paused_ = false;
  std::atomic<double> fired_at_ = 0;
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
  Undisturbed() {
    for (std::size_t i = 0; i < all_.size(); ++i) before_[i] = all_[i]->pause(true);
  }
  ~Undisturbed() {
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->pause(before_[i]);
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  std::array<Countdown*, 6> all_{&allocations, &agreements, &transfers, &polls, &makers, &attributes};
  std::array<bool, 6> before_{};
};

inline int communicators = 0;  // that were made and not freed

// Of a tag, by MPI_Isend.
struct SentMessages {
  long messages = 0, bytes = 0;
};
inline std::array<SentMessages, 16> sent_by_tag;  // others are not counted

}  // namespace trisweep::testing_support
