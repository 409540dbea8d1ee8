#pragma once
// The machine at hand, measured.

#include <string>

#include "trisweep/model/machine.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::measure {

// What the caller knows of the machine.
struct Host {
  std::string name;       // of the node
  std::string processor;  // its model
};

// Messages between ranks 0 and 1; products and streams of panels by rank 0 alone and by all ranks at once.
// Takes a few seconds. Collective; the result is rank 0's. Throws Error(usage) on every rank when there is
// only one.
model::Machine measure_machine(const mpi::Communicator& world, const Host& host);

}  // namespace trisweep::measure
