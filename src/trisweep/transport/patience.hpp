#pragma once
// How a rank waits when there is nothing to do: it looks again, gives up its processor in between (a message
// may have to come from a rank that has none), and after a given time without any event it calls the wait
// off.

#include <chrono>
#include <limits>
#include <string>

#include "trisweep/transport/communicator.hpp"

namespace trisweep::transport {

// Waiting was called off on this rank; the others are likely to come to the same end by themselves.
class Stalled : public Error {
 public:
  using Error::Error;
};

class Patience {
 public:
  // Seconds without an event after which waiting ends in an error; infinity: never.
  explicit Patience(double limit = std::numeric_limits<double>::infinity()) : limit_(limit) {}

  // Something happened: the time without an event starts anew.
  void moved() { looks_ = 0; }

  // To be called after each look that found nothing. Throws Stalled when the limit has passed; describe()
  // then says what is waited for.
  template <class Describe>
  void nothing_yet(Describe&& describe) {
    if (pause()) give_up(describe());
  }

  // Until all requests are complete.
  void wait(int count, MPI_Request* requests, const char* what);

 private:
  using Clock = std::chrono::steady_clock;
  bool pause();  // whether the limit has passed
  [[noreturn]] void give_up(const std::string& what) const;

  double limit_;
  long looks_ = 0;  // since something happened
  Clock::time_point since_{};
};

}  // namespace trisweep::transport
