#include "trisweep/transport/epochs.hpp"

namespace trisweep::transport {

// Not waited for while an error takes this rank out: the others may never reach their end of it.
Epochs::~Epochs() {
  if (barrier_ != MPI_REQUEST_NULL && may_communicate()) MPI_Wait(&barrier_, MPI_STATUS_IGNORE);
}

void Epochs::close(Patience& patience) {
  patience.wait(1, &barrier_, "some rank has not finished the solve before the last");
  check(MPI_Ibarrier(comm_.handle(), &barrier_), "MPI_Ibarrier");
  ++epoch_;
}

}  // namespace trisweep::transport
