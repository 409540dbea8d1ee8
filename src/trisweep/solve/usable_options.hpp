#pragma once
// A solver's options as they apply to its ranks.

#include <string>

#include "trisweep/solve/solver_options.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// Returns the options with the plans that these ranks can run, and with the exchange backend of devices set.
// Collective. Throws Error(usage) or Error(environment) on every rank, before anything is computed, when the
// options are invalid or these ranks do not have the device, transport or exchange backend.
template <Scalar T>
SolverOptions usable_options(const mpi::Communicator& comm, const SolverOptions& given);

// Returns all options as text, for messages and comparisons.
std::string name_of(const RefinementOptions& options);

// Returns the options of triangular solves by the chosen plan.
TriangularSolverOptions triangular_options(const SolverOptions& options, const model::PlanChoice& choice);

}  // namespace trisweep::solve
