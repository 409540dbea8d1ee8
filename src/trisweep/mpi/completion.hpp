#pragma once
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// Of a step of all ranks. A test that fails is made again, a hundred times: others may have completed the
// step, and be where MPI makes communicators and nobody can tell them.
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
