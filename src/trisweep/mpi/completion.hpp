#pragma once
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// Test for the completion of a collective step. A failed MPI_Test is repeated, up to a hundred times: other
// ranks may have completed the step and be in a call that makes a communicator, where they cannot be
// notified.
class Completion {
 public:
  bool of(MPI_Request& request) {
    constexpr int most_failures = 100;
    int done = 0;
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) return done != 0;
    if (++failures_ > most_failures) check(code, "MPI_Test");
    return false;
  }

 private:
  int failures_ = 0;
};

}  // namespace trisweep::mpi
