#pragma once
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {

// Collective. Rank 0 has its own analysis (`root` is used there only), every other rank a copy of it: all of
// it is of the size of the structure, none of the size of the factors.
std::shared_ptr<const Analysis> broadcast_analysis(const mpi::Communicator& comm,
                                                   std::shared_ptr<const Analysis> root);

}  // namespace trisweep::solve
