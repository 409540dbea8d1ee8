#pragma once
// A multifrontal factorization by all ranks: each front is one rank's, and what it hands to its parent goes
// to that one's rank.

#include <optional>
#include <span>
#include <vector>

#include "trisweep/mpi/communicator.hpp"
#include "trisweep/numeric/fronts.hpp"

namespace trisweep::solve {

// Whose each supernode's panels, and the fronts of these, are. Subtrees go to ranks as in the proportional
// mapping, and each front above them to one of the ranks below it. The same on all ranks.
struct FrontOwners {
  std::vector<Index> of_supernode;
  std::vector<Index> of_front;

  FrontOwners() = default;
  FrontOwners(const symbolic::Structure& structure, numeric::Kind kind, Index ranks);
};
// Whether each is that rank's.
std::vector<char> are_of(std::span<const Index> owner, Index rank);

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
