#pragma once
// Builds the sweep phases of a plan.

#include <optional>

#include "trisweep/plan/grain.hpp"
#include "trisweep/plan/plan.hpp"
#include "trisweep/plan/pruning.hpp"

namespace trisweep::plan {

// When contributions are added: see Segment. An ordered sweep is cut into tasks that several threads can
// share, the same for any number of threads: subtrees and row blocks of at most about `grain` panel entries.
struct Accumulation {
  bool ordered = false;
  Offset grain = grain_of_threads;
};

struct SweepSpec {
  distribution::Side side;
  Direction direction;
  bool conjugate;
  Tree tree;
  SupernodeRange panels{};    // apply the panels of these supernodes only; none: an idle phase, unless `rows`
  bool at_home_only = false;  // and only those whose home layer this is
  // Supernodes that only this layer has and whose segments are final after the sweep: if no other rank needs
  // a segment, its own inverted diagonal block may be applied at once, with diagonal_op.
  SupernodeRange diagonal{0, 0};
  Op diagonal_op = Op::none;
  // Only the segments of these rows are reduced (scatter) or broadcast (gather). Partial sums of other rows
  // stay on the ranks that compute them, to be reduced by a later sweep; final values of other rows are
  // already on the ranks that read them, from an earlier sweep.
  std::optional<SupernodeRange> rows{};
  bool continues = false;  // a scatter sweep that adds to what an earlier one has left on the ranks
  // Blocking collectives of a whole process row or column, including members that do not need a segment. Each
  // rank takes part in them one after another, in the order of the sweep.
  bool collectives = false;
  SupernodeSet within{};  // others have no part in the sweep: their segments stay as they are

  bool idle() const { return panels.empty() && !rows; }
  bool brings(Index row) const { return !rows || rows->contains(row); }
};

// The trees of one layer for the panels that `spec` applies.
SweepTrees sweep_trees(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                       Index layer, const SweepSpec& spec);

// The phase in which rank local_blocks.rank applies its pieces of `spec.side` and takes part in `trees`,
// those of its layer. Before: owned segments hold the right-hand side. After: those of spec.panels hold the
// solution of the sweep, and every rank that needed a segment has received it; in a scatter sweep other owned
// segments have the contributions of spec.panels added. On the diagonal side: owned segments that are tiles
// are multiplied by their group's block of D^-1, or its transpose.
SweepPhase make_sweep(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks,
                      const SweepTrees& trees, const SweepSpec& spec, const Accumulation& accumulation = {});

}  // namespace trisweep::plan
