#pragma once
// The inter-grid exchange of a plan: described layer by layer, built rank by rank.

#include <limits>
#include <vector>

#include "trisweep/plan/plan.hpp"
#include "trisweep/plan/pruning.hpp"

namespace trisweep::plan {

// Supernodes held by at least `fewest` and at most `most` layers.
struct HeldBy {
  Index fewest = 1;
  Index most = std::numeric_limits<Index>::max();
  bool contains(distribution::LayerRange layers) const {
    return fewest <= layers.last - layers.first && layers.last - layers.first <= most;
  }
};

// A step of a layer's exchange with layer `partner`, for supernodes that both layers hold: one message
// between each pair of ranks that own the same segments in the two layers or, if not packed, one for each
// segment.
struct LayerStep {
  Index partner;
  Transfer transfer;
  HeldBy held_by{};
  bool packed = true;
  SupernodeSet within{};

  // True if supernode k takes part. It is held by `layers`, which include the layer of this step.
  bool moves(Index k, distribution::LayerRange layers) const {
    return layers.contains(partner) && held_by.contains(layers) && within.contains(k);
  }
};
using ExchangeSpec = std::vector<LayerStep>;  // in order; the partner has the matching step

// The steps of rank local_blocks.rank, in the layer that `spec` describes.
ExchangePhase make_exchange(const distribution::Mapping& mapping,
                            const distribution::LocalBlocks& local_blocks, const ExchangeSpec& spec);

// Sums partial vectors over layers. Before: each layer that holds a supernode has a partial segment on its
// owner. After: each has the sum. Describes the steps of `layer`, one of `layers`. Each kind is one such
// function in a file of its own; inter_grids() lists them by name.
using InterGridFunction = ExchangeSpec(Index layers, Index layer);
using InterGrid = InterGridFunction*;

// SC'23 Algorithm 2. Reduces pairwise from the leaves to the root, then copies back from the root to the
// leaves; all segments that two layers share travel in one message, so a rank sends and receives at most 2
// log2(Pz) messages, and only what is shared.
InterGridFunction sparse_allreduce;

// What SC'23 section 3.2 improves on: a separate allreduce for each node of the separator tree, among the
// layers that hold it. The same volume in up to log2(Pz) times as many messages.
InterGridFunction per_node_allreduce;

}  // namespace trisweep::plan
