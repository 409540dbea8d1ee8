#pragma once
// The machine at hand, measured.

#include "trisweep/model/machine.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::cli {

// Messages between ranks 0 and 1; products and streams of panels by rank 0 alone and by all ranks at once.
// Takes a few seconds. Collective; the result is rank 0's. Throws Error(usage) on every rank when there is
// only one.
model::Machine measure_machine(const mpi::Communicator& world);

}  // namespace trisweep::cli
