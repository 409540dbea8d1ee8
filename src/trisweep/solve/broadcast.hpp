#pragma once
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {

// Collective. Every rank gets a copy of rank 0's analysis (`root` is read there only): all of it is of the
// size of the structure, none of the size of the factors.
Analysis broadcast_analysis(const mpi::Communicator& comm, const Analysis* root);

}  // namespace trisweep::solve
