#pragma once
// Sends panels from the ranks that computed them to those that apply them.

#include <span>

#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::engine {

// Collective. Each rank passes the panels that it has computed in `factors` (structure and kind are the same
// on all ranks); rank maker[k] has those of supernode k. Returns the pieces of this rank. Each rank requests
// what it needs from the makers, in rounds: so copies in flight take a fraction of the factors' memory. A
// single rank keeps the factors themselves. `spent`: the same factors, if they are not needed afterwards: the
// memory of panels that have been sent is freed. Throws on every rank if any runs out of memory.
template <class S>
PieceValues<S> collected(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                         const distribution::LocalBlocks& local_blocks,
                         const std::shared_ptr<const numeric::Factors<S>>& factors,
                         std::span<const Index> maker, numeric::Factors<S>* spent = nullptr);

}  // namespace trisweep::engine
