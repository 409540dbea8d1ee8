#include "trisweep/transport/patience.hpp"

#include <fmt/format.h>

#include <thread>

namespace trisweep::transport {

namespace {

void check_transfer(int code) {
  int kind = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &kind);
  if (kind == MPI_ERR_TRUNCATE) {
    throw Error(ErrorKind::environment, "a message is longer than this rank expects: the ranks' calls differ",
                "call solve with the same op and number of right-hand sides on every rank");
  }
  if (kind != MPI_SUCCESS) check(code, "MPI_Test");
}

}  // namespace

bool Patience::pause() {
  // The first looks come right after each other: what was sent a moment ago is here in a moment.
  constexpr long eager_looks = 4;
  constexpr long looks_per_look_around = 64;
  if (looks_ == 0 && limited()) since_ = Clock::now();
  if (++looks_ > eager_looks) std::this_thread::yield();
  return looks_ % looks_per_look_around == 0;
}

bool Patience::too_long() const {
  return limited() && std::chrono::duration<double>(Clock::now() - since_).count() > limit_;
}

void Patience::give_up(const std::string& what) const {
  throw Stalled(ErrorKind::environment, fmt::format("nothing moved for {:g} s: {}", limit_, what),
                "see which rank the others wait for, and whether it still runs");
}

// One after the other: an error belongs to a request then, and MPICH leaves it to the request's communicator
// whether to go on.
void Patience::wait(int count, MPI_Request* requests, const char* what, MPI_Status* statuses) {
  moved();
  for (int i = 0; i < count;) {
    int done = 0;
    check_transfer(MPI_Test(&requests[i], &done, statuses == nullptr ? MPI_STATUS_IGNORE : &statuses[i]));
    if (done != 0) {
      ++i;
      moved();
    } else {
      nothing_yet([&] { return std::string(what); });
    }
  }
}

}  // namespace trisweep::transport
