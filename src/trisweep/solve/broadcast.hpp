#pragma once
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {

// Collective. Returns `root` on rank 0 (read there only), and a copy of it on all other ranks, without
// fronts. Its size is that of the structure, not of the factors.
std::shared_ptr<const Analysis> broadcast_analysis(const mpi::Communicator& comm,
                                                   std::shared_ptr<const Analysis> root);

}  // namespace trisweep::solve
