#pragma once
// Transports that tests may leave behind half way.

#include "trisweep/mpi/transport.hpp"

namespace trisweep::testing_support {

// All of them, but for MPICH's windows: where ranks can no longer free one together, Debian's MPICH ends
// MPI_Finalize with an assertion.
inline std::vector<mpi::NamedTransport> transports_to_abandon() {
  std::vector<mpi::NamedTransport> list;
  for (const auto& named : mpi::transports()) {
#ifdef MPICH
    if (named.name == "one-sided") continue;
#endif
    list.push_back(named);
  }
  return list;
}

}  // namespace trisweep::testing_support
