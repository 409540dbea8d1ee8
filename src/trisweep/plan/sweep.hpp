#pragma once
// Builds the sweep phases of a plan.

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

struct SweepSpec {
  distribution::Side side;
  Direction direction;
  bool conjugate;
  TreeKind tree;
};

// The phase in which rank share.rank applies all its pieces of `spec.side`, with its part in the broadcast
// and reduction trees of its layer. Before: owned segments hold the right-hand side. After: they hold the
// solution of the sweep, and every rank that needed a segment has received it.
SweepPhase make_sweep(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                      const distribution::Share& share, const SweepSpec& spec);

}  // namespace trisweep::plan
