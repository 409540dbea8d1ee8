#pragma once
// Transports that tests may leave behind half way.

#include "trisweep/transport/transport.hpp"

namespace trisweep::testing_support {

// All of them, but for MPICH's windows: where ranks can no longer free one together, Debian's MPICH ends
// MPI_Finalize with an assertion.
inline std::vector<transport::NamedTransport> transports_to_abandon() {
  std::vector<transport::NamedTransport> list;
  for (const auto& named : transport::transports()) {
#ifdef MPICH
    if (named.name == "one-sided") continue;
#endif
    list.push_back(named);
  }
  return list;
}

}  // namespace trisweep::testing_support
