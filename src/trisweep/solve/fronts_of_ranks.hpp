#pragma once
// A multifrontal factorization by all ranks: each front is one rank's, and what it hands to its parent goes
// to that one's rank.

#include <optional>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/fronts.hpp"
#include "trisweep/solve/front_owners.hpp"

namespace trisweep::solve {

// Collective. `fronts`: made for the supernodes that are this rank's, with this rank's values. Returns the
// factors with this rank's panels, and the structure and numbers that came out, which are all ranks' alike;
// counts of pivots are this rank's. Nullopt, on all ranks, where numeric::factor() returns that on one.
// Throws on every rank.
template <Scalar T>
std::optional<numeric::Factors<T>> factor_fronts(const mpi::Communicator& comm, const numeric::Fronts& fronts,
                                                 const FrontOwners& owners,
                                                 const numeric::MatrixValues<T>& values,
                                                 const numeric::FactorizationOptions& options,
                                                 Observer& observer);

}  // namespace trisweep::solve
