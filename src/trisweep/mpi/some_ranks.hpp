#pragma once
// Collective operations of some of a communicator's ranks, which need no communicator of their own: of these,
// MPI libraries have few. Each of `ranks`, ascending, calls them; of ranks that call several, in one order.

#include <span>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {

// `bytes` of ranks[root] to all, along a binomial tree.
void broadcast_among(const Communicator& comm, std::span<const Index> ranks, std::size_t root, void* data,
                     std::size_t bytes, Tag tag);
// The largest of theirs, on all.
Index max_among(const Communicator& comm, std::span<const Index> ranks, Index mine, Tag tag);

}  // namespace trisweep::mpi
