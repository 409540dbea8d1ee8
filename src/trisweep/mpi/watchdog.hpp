#pragma once
// Waiting for progress: polls, leaves the processor to others in between (the sender may need it), and fails
// after a given time without progress.

#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// Interval at which a waiting rank polls for faults and checks its time limit. It is measured by the clock,
// because on a shared processor every futile poll takes time from the other ranks.
inline constexpr std::chrono::microseconds fault_poll_interval{100};

// The time limit has passed on this rank; the other ranks are likely to reach theirs.
class Stalled : public Error {
 public:
  using Error::Error;
};

class Watchdog {
 public:
  // `limit`: seconds without progress after which waiting throws; infinity: never. With `comm`, which must
  // outlive the watchdog, waiting also ends when one of its ranks reports a failure.
  explicit Watchdog(double limit = std::numeric_limits<double>::infinity(),
                    const Communicator* comm = nullptr)
      : limit_(limit), comm_(comm) {}
  // For a step outside the sweeps: takes the limit of `comm`, and sleeps between polls where that is allowed
  // (WaitScope).
  explicit Watchdog(const Communicator& comm)
      : limit_(comm.watchdog_limit()), comm_(&comm), longest_sleep_(comm.longest_sleep()) {}
  double limit() const { return limit_; }

  // There was progress: the time limit starts again.
  void reset() { looks_ = 0; }

  // To be called after each poll without progress. If the limit has passed, throws Stalled with describe(),
  // the pending messages. Where threads take turns at MPI, the lock that turn() returns is held while polling
  // for faults.
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

  // Waits until all requests are complete.
  void wait(int count, MPI_Request* requests, const char* what);

 private:
  using Clock = std::chrono::steady_clock;
  bool limited() const { return limit_ < std::numeric_limits<double>::infinity(); }
  bool pause();  // true if it is time to poll for faults
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
