#pragma once
// Builds the inter-grid exchange phases of a plan.

#include <limits>

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// Makes partial vectors whole. Before: each layer that holds a supernode has a partial segment on its owner.
// After: each has the sum. Each kind is one such function; variants.hpp lists them by name.
using InterGrid = ExchangePhase (*)(const distribution::Mapping& mapping, const distribution::Share& share);

// SC'23 Algorithm 2. Reduces pairwise from the leaves to the root, then copies back from the root to the
// leaves; all segments that two layers share travel in one message, so a rank sends and receives at most 2
// log2(Pz) messages, and only what is shared.
ExchangePhase sparse_allreduce(const distribution::Mapping& mapping, const distribution::Share& share);

// What SC'23 section 3.2 improves on: an allreduce of its own for each node of the separator tree, among just
// the layers that hold it. The same volume in up to log2(Pz) times as many messages.
ExchangePhase per_node_allreduce(const distribution::Mapping& mapping, const distribution::Share& share);

// Appends a step with each rank of layer `partner` that owns segments which this rank owns, too: of
// supernodes held by at least `fewest` and at most `most` layers.
struct HeldBy {
  Index fewest = 1;
  Index most = std::numeric_limits<Index>::max();
};
void pair_up(const distribution::Mapping& mapping, const distribution::Share& share, Index partner,
             Transfer transfer, HeldBy held_by, std::vector<ExchangeStep>& steps);

// Fills in the ordinals.
void number_steps(ExchangePhase& phase);

}  // namespace trisweep::plan
