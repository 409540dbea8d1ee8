#pragma once
// Builds the inter-grid exchange phases of a plan.

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// SC'23 Algorithm 2. Before: each layer that holds a supernode has a partial vector segment on its owner.
// After: each has the sum. Reduces pairwise from the leaves to the root, then copies back from the root to
// the leaves; all segments that two layers share travel in one message, so a rank sends and receives at most
// 2 log2(Pz) messages, and only what is shared.
ExchangePhase sparse_allreduce(const distribution::Mapping& mapping, const distribution::Share& share);

}  // namespace trisweep::plan
