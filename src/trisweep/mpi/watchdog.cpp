#include "trisweep/mpi/watchdog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace trisweep::mpi {

bool Watchdog::pause() {
  // The first polls follow each other immediately: a message sent a moment ago is about to arrive.
  constexpr long eager_looks = 4;
  if (++looks_ <= eager_looks) return false;
  if (looks_ == eager_looks + 1) since_ = looked_around_ = Clock::now();
  sleep();
  const auto now = Clock::now();
  if (now - looked_around_ < fault_poll_interval) return false;
  looked_around_ = now;
  return true;
}

// On the path of a solve a rank only yields: a reduction takes log P hops, each of which may meet a sleeping
// rank.
void Watchdog::sleep() const {
  constexpr long looks_before_sleep = 100;
  const long doublings = looks_ - looks_before_sleep;
  if (doublings < 0 || longest_sleep_.count() == 0) return std::this_thread::yield();
  std::this_thread::sleep_for(
      std::min(std::chrono::microseconds(1L << std::min(doublings, 20L)), longest_sleep_));
}

bool Watchdog::too_long() const {
  return limited() && std::chrono::duration<double>(Clock::now() - since_).count() > limit_;
}

void Watchdog::give_up(const std::string& what) const {
  throw Stalled(ErrorKind::environment, fmt::format("no progress for {:g} s: {}", limit_, what),
                "check whether the rank that the others wait for is still running");
}

// Requests are completed one after the other, so that an error belongs to one request. MPICH lets that
// request's communicator decide whether to go on.
void Watchdog::wait(int count, MPI_Request* requests, const char* what) {
  reset();
  for (int i = 0; i < count;) {
    int done = 0;
    check(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) {
      ++i;
      reset();
    } else {
      backoff([&] { return std::string(what); });
    }
  }
}

}  // namespace trisweep::mpi
