#pragma once
// Waiting for progress: poll, leave the processor to others in between (the sender may need it), and fail
// after a given time without progress.

#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// How often a waiting rank polls for faults and for its time limit: by the clock, because on a shared
// processor every poll in vain costs the other ranks their turns.
inline constexpr std::chrono::microseconds fault_poll_interval{100};

// The time limit has passed on this rank; the other ranks are likely to reach theirs.
class Stalled : public Error {
 public:
  using Error::Error;
};

class Watchdog {
 public:
  // `limit`: seconds without progress after which waiting throws; infinity: never. With `comm`, which
  // outlives this, waiting also ends when one of its ranks reports a failure.
  explicit Watchdog(double limit = std::numeric_limits<double>::infinity(),
                    const Communicator* comm = nullptr)
      : limit_(limit), comm_(comm) {}
  // Of a step outside the sweeps: with the limit of `comm`, and sleeping between polls where that is allowed
  // (WaitScope).
  explicit Watchdog(const Communicator& comm)
      : limit_(comm.watchdog_limit()), comm_(&comm), longest_sleep_(comm.longest_sleep()) {}
  double limit() const { return limit_; }

  // There was progress: the time limit starts again.
  void reset() { looks_ = 0; }

  // To be called after each poll without progress. Throws Stalled with describe(), the pending messages, when
  // the limit has passed. Where threads take turns at MPI, turn() holds the lock while its result lives.
  template <class Describe, class Turn>
  void backoff(Describe&& describe, Turn&& turn) {
    if (!pause()) return;
    if (comm_ != nullptr) {
      [[maybe_unused]] const auto mine = turn();
      comm_->poll_faults(limited());
    }
    if (too_long()) give_up(describe());
  }
  template <class Describe>
  void backoff(Describe&& describe) {
    backoff(std::forward<Describe>(describe), [] { return 0; });
  }

  // Until all requests are complete.
  void wait(int count, MPI_Request* requests, const char* what);

 private:
  using Clock = std::chrono::steady_clock;
  bool limited() const { return limit_ < std::numeric_limits<double>::infinity(); }
  bool pause();  // whether it is time for a look around
  void sleep() const;
  bool too_long() const;
  [[noreturn]] void give_up(const std::string& what) const;

  double limit_;
  const Communicator* comm_;
  std::chrono::microseconds longest_sleep_{0};
  long looks_ = 0;  // since the last progress
  Clock::time_point since_{}, looked_around_{};
};

}  // namespace trisweep::mpi
