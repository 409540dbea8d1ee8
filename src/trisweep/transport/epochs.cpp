#include "trisweep/transport/epochs.hpp"

namespace trisweep::transport {

void Epochs::settle() noexcept {
  if (barrier_ == MPI_REQUEST_NULL || !comm_.may_communicate()) return;
  try {
    Patience(limit_, &comm_).wait(1, &barrier_, "a rank has not finished the last solve");
  } catch (...) {
    comm_.abandon(current_failure());
  }
}

void Epochs::close(Patience& patience) {
  patience.wait(1, &barrier_, "a rank has not finished the solve before the last");
  check(MPI_Ibarrier(comm_.handle(), &barrier_), "MPI_Ibarrier");
  limit_ = patience.limit();
  ++epoch_;
}

}  // namespace trisweep::transport
