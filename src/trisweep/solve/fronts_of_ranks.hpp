#pragma once
// A multifrontal factorization by all ranks: a front belongs to one rank or is shared by several, and its
// contribution block is sent to the ranks of its parent.

#include <optional>

#include "trisweep/distribution/front_owners.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/fronts.hpp"
#include "trisweep/solve/shared_elimination.hpp"

namespace trisweep::solve {

template <Scalar T>
struct FactoredFronts {
  FrontsEnd end = FrontsEnd::done;  // the same on all ranks
  // This rank's panels and pivot counts, with the resulting structure and permutations, the same on all
  // ranks. Set if `end` is done.
  std::optional<numeric::Factors<T>> factors{};
};

// Collective. `fronts`: made for this rank's supernodes; `values`: this rank's entries. Throws on every rank.
template <Scalar T>
FactoredFronts<T> factor_fronts(const mpi::Communicator& comm, const numeric::Fronts& fronts,
                                const distribution::FrontOwners& owners,
                                const numeric::MatrixValues<T>& values,
                                const numeric::FactorizationOptions& options, Observer& observer);

}  // namespace trisweep::solve
