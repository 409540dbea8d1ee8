#pragma once
// Measures the machine at hand.

#include <string>

#include "trisweep/model/machine.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::measure {

// What the caller knows of the machine.
struct Host {
  std::string name;       // of the node
  std::string processor;  // its model
};

// Measures messages of rank 0 with a rank of its node and with one of another node, products on rank 0, and
// streams of panels on rank 0 alone and on all ranks at once. Takes a few seconds. Collective; the result is
// rank 0's. Throws Error(usage) on every rank if there is only one.
model::Machine measure_machine(const mpi::Communicator& world, const Host& host);

}  // namespace trisweep::measure
