#include "trisweep/mpi/epochs.hpp"

#include <atomic>

namespace trisweep::mpi {

void Epochs::drain() noexcept {
  if (barrier_ == MPI_REQUEST_NULL || !comm_.may_communicate()) return;
  try {
    Watchdog(limit_, &comm_).wait(1, &barrier_, "a rank has not finished the last solve");
  } catch (...) {
    comm_.revoke(current_failure());
  }
}

// MPI does not say that its barrier orders accesses to memory that others write past its calls.
void Epochs::close(Watchdog& watchdog) {
  watchdog.wait(1, &barrier_, "a rank has not finished the solve before the last");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check(MPI_Ibarrier(comm_.handle(), &barrier_), "MPI_Ibarrier");
  limit_ = watchdog.limit();
  advance();
}

}  // namespace trisweep::mpi
