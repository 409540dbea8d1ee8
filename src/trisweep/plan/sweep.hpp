#pragma once
// Builds the sweep phases of a plan.

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// When contributions are added: see Segment. An ordered sweep is cut into tasks that several threads can
// share, always the same ones: subtrees and strips of at most about `grain` panel entries.
struct Accumulation {
  bool ordered = false;
  Offset grain = 65536;
};

struct SweepSpec {
  distribution::Side side;
  Direction direction;
  bool conjugate;
  Tree tree;
  SupernodeRange panels{};    // apply the panels of these supernodes only; none: an idle phase
  bool at_home_only = false;  // and only those whose home layer this is
  // Supernodes whose segments the sweep leaves final and that nobody but this layer has: whose own inverted
  // diagonal blocks, under this op, may be applied at once where no other rank needs the segment.
  SupernodeRange diagonal{0, 0};
  Op diagonal_op = Op::none;
};

// The trees of one layer for the panels that `spec` applies.
SweepTrees sweep_trees(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                       Index layer, const SweepSpec& spec);

// The phase in which rank share.rank applies its pieces of `spec.side`, with its part in `trees`, those of
// its layer. Before: owned segments hold the right-hand side. After: those of spec.panels hold the solution
// of the sweep, and every rank that needed a segment has received it; in a scatter sweep other owned segments
// have the contributions of spec.panels added. On the diagonal side: owned segments that are tiles are
// multiplied by their group's block of D^-1, or its transpose.
SweepPhase make_sweep(const symbolic::Structure& structure, const distribution::Share& share,
                      const SweepTrees& trees, const SweepSpec& spec, const Accumulation& accumulation = {});

}  // namespace trisweep::plan
