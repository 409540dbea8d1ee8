#pragma once
#include "trisweep/core/crew.hpp"
#include "trisweep/transport/communicator.hpp"

namespace trisweep::transport {

// Who works together on distributed vectors: ranks, and the threads of each. Both outlive what is made with
// them.
struct Team {
  const Communicator& comm;
  Crew& crew;
};

}  // namespace trisweep::transport
