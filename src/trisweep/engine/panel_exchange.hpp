#pragma once
// Panels on their way from the ranks that made them to those that apply them.

#include <span>

#include "trisweep/distribution/distribution.hpp"
#include "trisweep/engine/panel_store.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::engine {

// Collective. Before: each rank has the panels of some supernodes, `factors` (structure and kind are all
// ranks'), of which rank maker[k] has those of supernode k. After: every rank has its pieces. Each asks the
// makers for what it needs, in rounds: the copies under way take a part of what the factors do. A rank that
// is alone keeps the factors themselves. `spent`: these, which nobody needs any more: where panels have been
// sent their memory is given back. Throws on every rank when any runs out of memory.
template <class S>
PieceValues<S> collected(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                         const distribution::LocalBlocks& local_blocks,
                         const std::shared_ptr<const numeric::Factors<S>>& factors,
                         std::span<const Index> maker, numeric::Factors<S>* spent = nullptr);

}  // namespace trisweep::engine
