#pragma once
// How a rank waits when there is nothing to do: it looks again, gives up its processor in between (a message
// may have to come from a rank that has none), and after a given time without any event it calls the wait
// off.

#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "trisweep/transport/communicator.hpp"

namespace trisweep::transport {

// Whoever waits looks so often whether another rank has failed, and the time is up: by the clock, because
// where ranks share a processor a look in vain costs the turns of all others.
inline constexpr std::chrono::microseconds between_looks_around{100};

// Waiting was called off on this rank; the others are likely to come to the same end by themselves.
class Stalled : public Error {
 public:
  using Error::Error;
};

class Patience {
 public:
  // Seconds without an event after which waiting ends in an error; infinity: never.
  // With `comm`, which outlives this, waiting ends also when one of its ranks says that it has failed.
  explicit Patience(double limit = std::numeric_limits<double>::infinity(),
                    const Communicator* comm = nullptr)
      : limit_(limit), comm_(comm) {}
  double limit() const { return limit_; }

  // Something happened: the time without an event starts anew.
  void moved() { looks_ = 0; }

  // To be called after each look that found nothing. Throws Stalled when the limit has passed; describe()
  // then says what is waited for. Where threads take turns at MPI, turn() holds one as long as its result.
  template <class Describe, class Turn>
  void nothing_yet(Describe&& describe, Turn&& turn) {
    if (!pause()) return;
    if (comm_ != nullptr) {
      [[maybe_unused]] const auto mine = turn();
      comm_->listen(limited());
    }
    if (too_long()) give_up(describe());
  }
  template <class Describe>
  void nothing_yet(Describe&& describe) {
    nothing_yet(std::forward<Describe>(describe), [] { return 0; });
  }

  // Until all requests are complete.
  void wait(int count, MPI_Request* requests, const char* what);

 private:
  using Clock = std::chrono::steady_clock;
  bool limited() const { return limit_ < std::numeric_limits<double>::infinity(); }
  bool pause();  // whether it is time for a look around
  bool too_long() const;
  [[noreturn]] void give_up(const std::string& what) const;

  double limit_;
  const Communicator* comm_;
  long looks_ = 0;  // since something happened
  Clock::time_point since_{}, looked_around_{};
};

}  // namespace trisweep::transport
