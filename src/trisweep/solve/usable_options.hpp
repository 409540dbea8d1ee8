#pragma once
// What a solver's options mean on the ranks that it is made of.

#include <string>

#include "trisweep/solve/solver_options.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// The options with plans to choose from that these ranks can run, and with the exchange backend of devices.
// Collective; throws Error(usage) or Error(environment) on every rank, before anything is computed, when
// these ranks have no such device, transport or exchange.
template <Scalar T>
SolverOptions usable_options(const mpi::Communicator& comm, const SolverOptions& given);

// All of them, for people and for comparisons.
std::string name_of(const RefinementOptions& options);

// The options of triangular solves by the plan that was chosen.
TriangularSolverOptions triangular_options(const SolverOptions& options, const model::PlanChoice& choice);

}  // namespace trisweep::solve
