#include "trisweep/mpi/epochs.hpp"

namespace trisweep::mpi {

void Epochs::drain() noexcept {
  if (barrier_ == MPI_REQUEST_NULL || !comm_.may_communicate()) return;
  try {
    Watchdog(limit_, &comm_).wait(1, &barrier_, "a rank has not finished the last solve");
  } catch (...) {
    comm_.revoke(current_failure());
  }
}

void Epochs::close(Watchdog& watchdog) {
  watchdog.wait(1, &barrier_, "a rank has not finished the solve before the last");
  check(MPI_Ibarrier(comm_.handle(), &barrier_), "MPI_Ibarrier");
  limit_ = watchdog.limit();
  ++epoch_;
}

}  // namespace trisweep::mpi
