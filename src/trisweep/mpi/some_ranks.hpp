#pragma once
// Collective operations over some of a communicator's ranks, without a communicator for them, of which MPI
// libraries have few. Every rank in `ranks`, which is ascending, calls them; ranks in several such sets make
// their calls in the same order.

#include <span>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// Broadcasts `bytes` bytes from ranks[root] to all of `ranks`, along a binomial tree.
void broadcast_among(const Communicator& comm, std::span<const Index> ranks, std::size_t root, void* data,
                     std::size_t bytes, Tag tag);
// Returns the maximum of `mine` over `ranks`, on all of them.
Index max_among(const Communicator& comm, std::span<const Index> ranks, Index mine, Tag tag);

}  // namespace trisweep::mpi
