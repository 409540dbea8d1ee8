#pragma once
// A multifrontal factorization by all ranks: a front is one rank's, or shared by several, and what it hands
// to its parent goes to the ranks of that one.

#include <optional>

#include "trisweep/distribution/front_owners.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/fronts.hpp"
#include "trisweep/solve/shared_elimination.hpp"

namespace trisweep::solve {

template <Scalar T>
struct FactoredFronts {
  FrontsEnd end = FrontsEnd::done;  // the same on all ranks
  // With this rank's panels, and the structure and numbers that came out, which are all ranks' alike; counts
  // of pivots are this rank's. Where all is done.
  std::optional<numeric::Factors<T>> factors{};
};

// Collective. `fronts`: made for the supernodes that are this rank's, with this rank's values. Throws on
// every rank.
template <Scalar T>
FactoredFronts<T> factor_fronts(const mpi::Communicator& comm, const numeric::Fronts& fronts,
                                const distribution::FrontOwners& owners,
                                const numeric::MatrixValues<T>& values,
                                const numeric::FactorizationOptions& options, Observer& observer);

}  // namespace trisweep::solve
