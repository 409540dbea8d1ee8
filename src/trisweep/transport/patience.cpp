#include "trisweep/transport/patience.hpp"

#include <fmt/format.h>

#include <thread>

namespace trisweep::transport {

bool Patience::pause() {
  // The first looks come right after each other: what was sent a moment ago is here in a moment.
  constexpr long eager_looks = 4;
  if (++looks_ <= eager_looks) return false;
  if (looks_ == eager_looks + 1) since_ = looked_around_ = Clock::now();
  std::this_thread::yield();
  const auto now = Clock::now();
  if (now - looked_around_ < between_looks_around) return false;
  looked_around_ = now;
  return true;
}

bool Patience::too_long() const {
  return limited() && std::chrono::duration<double>(Clock::now() - since_).count() > limit_;
}

void Patience::give_up(const std::string& what) const {
  throw Stalled(ErrorKind::environment, fmt::format("no progress for {:g} s: {}", limit_, what),
                "check whether the rank that the others wait for is still running");
}

// One after the other: an error belongs to a request then, and MPICH leaves it to the request's communicator
// whether to go on.
void Patience::wait(int count, MPI_Request* requests, const char* what) {
  moved();
  for (int i = 0; i < count;) {
    int done = 0;
    check(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) {
      ++i;
      moved();
    } else {
      nothing_yet([&] { return std::string(what); });
    }
  }
}

}  // namespace trisweep::transport
