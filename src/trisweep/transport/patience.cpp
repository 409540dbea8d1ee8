#include "trisweep/transport/patience.hpp"

#include <fmt/format.h>

#include <thread>

namespace trisweep::transport {

bool Patience::pause() {
  // The first looks come right after each other: what was sent a moment ago is here in a moment.
  constexpr long eager_looks = 4;
  constexpr long looks_per_clock = 64;
  if (looks_ == 0) since_ = limit_ < std::numeric_limits<double>::infinity() ? Clock::now() : since_;
  if (++looks_ > eager_looks) std::this_thread::yield();
  if (limit_ == std::numeric_limits<double>::infinity() || looks_ % looks_per_clock != 0) return false;
  return std::chrono::duration<double>(Clock::now() - since_).count() > limit_;
}

void Patience::give_up(const std::string& what) const {
  throw Stalled(ErrorKind::environment, fmt::format("nothing moved for {:g} s: {}", limit_, what),
                "see which rank the others wait for, and whether it still runs");
}

void Patience::wait(int count, MPI_Request* requests, const char* what) {
  moved();
  int done = 0;
  while (true) {
    check(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done != 0) return moved();
    nothing_yet([&] { return std::string(what); });
  }
}

}  // namespace trisweep::transport
