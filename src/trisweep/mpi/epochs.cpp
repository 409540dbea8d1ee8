#include "trisweep/mpi/epochs.hpp"

#include <atomic>

namespace trisweep::mpi {

void Epochs::drain() noexcept {
  constexpr int most_failures = 100;
  for (int failures = 1; barrier_ != MPI_REQUEST_NULL && comm_.may_communicate(); ++failures) {
    try {
      return Watchdog(limit_, &comm_).wait(1, &barrier_, "a rank has not finished the last solve");
    } catch (const Stalled&) {
      comm_.revoke(current_failure());
    } catch (...) {  // others may have passed the barrier and be where no notification is seen
      if (failures == most_failures) comm_.revoke(current_failure());
    }
  }
}

// MPI does not guarantee that its barrier orders accesses to memory that other ranks write outside MPI.
void Epochs::close(Watchdog& watchdog) {
  watchdog.wait(1, &barrier_, "a rank has not finished the solve before the last");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check(MPI_Ibarrier(comm_.handle(), &barrier_), "MPI_Ibarrier");
  limit_ = watchdog.limit();
  advance();
}

}  // namespace trisweep::mpi
