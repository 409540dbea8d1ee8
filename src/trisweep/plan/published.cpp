// The baseline that SC'23 measures against (section 2.2; Sao, Li, Vuduc 2019), as in SuperLU_DIST: the levels
// of level_sync, but with blocking collectives.
//
// Leaf: sweeps within a layer, message-driven, between the owner of a segment and the ranks that need it.
// Ancestors: their supernodes one after another; for each a reduction of the partial sums over the whole
// process row, a broadcast of the solution down the whole process column, the product with the panel.
// Hand-over: forward, for each ancestor's supernode a reduction over the process row of the upper layer and a
// message to the lower one; backward, a message and a broadcast down the process column of the upper layer.
//
// A rank takes part in collectives in the order of the supernodes. Partial sums of ancestors stay on the
// ranks that make them until one of the reductions; their solution is where a broadcast has brought it.
//
// In each direction, a supernode of an ancestor takes Px - 1 + Py - 1 messages in the layer that solves it,
// and each hand-over one message between layers and Py - 1 (forward) or Px - 1 (backward) within one.
//
// `tree` is that of the leaves, flat in the paper; the collectives are an MPI library's, binomial trees. Two
// differences from SuperLU_DIST: there is no barrier after the leaves, and all reductions of a hand-over
// precede its messages, whereas there each message follows its own reduction.

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {
namespace {

using distribution::Mapping;
using symbolic::Structure;

class Description {
 public:
  Description(const Structure& structure, const Mapping& mapping, Index layer, const PlanSpec& spec,
              bool packed)
      : structure_(structure),
        mapping_(mapping),
        layer_(layer),
        spec_(spec),
        sides_(sweep_sides(spec)),
        packed_(packed) {}

  std::vector<PhaseSpec> phases() && {
    const Index top = mapping_.layers();
    forward_leaf();
    for (Index distance = 1; distance < top; distance *= 2) {
      collectives(Direction::scatter, {0, 0}, layer_ % (2 * distance) == distance, above(distance));
      hand_over(distance, Transfer::receive_add, Transfer::send);
      node(Direction::scatter, 2 * distance);
    }
    add_diagonal_product(phases_, structure_, spec_, true);
    for (Index distance = top / 2; distance >= 1; distance /= 2) {
      node(Direction::gather, 2 * distance);
      hand_over(distance, Transfer::send, Transfer::receive_copy);
      collectives(Direction::gather, {0, 0}, layer_ % (2 * distance) == distance, above(distance));
    }
    const SupernodeRange leaf = active_node(structure_, mapping_, layer_, 1);
    phases_.emplace_back(SweepSpec{.side = sides_.backward,
                                   .direction = Direction::gather,
                                   .conjugate = sides_.conjugate_backward,
                                   .tree = spec_.tree,
                                   .panels = leaf,
                                   .rows = leaf});
    return std::move(phases_);
  }

 private:
  void forward_leaf() {
    const SupernodeRange leaf = active_node(structure_, mapping_, layer_, 1);
    phases_.emplace_back(SweepSpec{.side = sides_.forward,
                                   .direction = Direction::scatter,
                                   .conjugate = sides_.conjugate_forward,
                                   .tree = spec_.tree,
                                   .panels = leaf,
                                   .diagonal = leaf,
                                   .diagonal_op = spec_.op,
                                   .rows = leaf});
  }

  // The panels and rows of one node, if this layer is the active one there.
  void node(Direction direction, Index layers) {
    const SupernodeRange range = active_node(structure_, mapping_, layer_, layers);
    collectives(direction, range, !range.empty(), range);
  }

  void collectives(Direction direction, SupernodeRange panels, bool active, SupernodeRange rows) {
    const bool forward = direction == Direction::scatter;
    SweepSpec sweep{.side = forward ? sides_.forward : sides_.backward,
                    .direction = direction,
                    .conjugate = forward ? sides_.conjugate_forward : sides_.conjugate_backward,
                    .tree = binomial_tree,
                    .panels = panels,
                    .continues = forward,
                    .collectives = true};
    if (active) sweep.rows = rows;
    phases_.emplace_back(sweep);
  }

  // The supernodes of this layer that at least two groups of `distance` layers hold; they come last.
  SupernodeRange above(Index distance) const {
    SupernodeRange range{structure_.supernodes(), structure_.supernodes()};
    for (Index k = structure_.supernodes() - 1; k >= 0; --k) {
      const distribution::LayerRange layers = mapping_.layers_of(k);
      if (layers.contains(layer_) && layers.last - layers.first >= 2 * distance) range.first = k;
    }
    return range;
  }

  // Between the two active layers below a node.
  void hand_over(Index distance, Transfer lower, Transfer upper) {
    ExchangeSpec steps;
    const HeldBy shared{.fewest = 2 * distance};
    if (layer_ % (2 * distance) == 0) steps.push_back({layer_ + distance, lower, shared, packed_});
    if (layer_ % (2 * distance) == distance) steps.push_back({layer_ - distance, upper, shared, packed_});
    phases_.emplace_back(std::move(steps));
  }

  const Structure& structure_;
  const Mapping& mapping_;
  Index layer_;
  const PlanSpec& spec_;
  SweepSides sides_;
  bool packed_;
  std::vector<PhaseSpec> phases_;
};

}  // namespace

std::vector<PhaseSpec> published(const Structure& structure, const Mapping& mapping, Index layer,
                                 const PlanSpec& spec) {
  return Description(structure, mapping, layer, spec, false).phases();
}

std::vector<PhaseSpec> published_packed(const Structure& structure, const Mapping& mapping, Index layer,
                                        const PlanSpec& spec) {
  return Description(structure, mapping, layer, spec, true).phases();
}

}  // namespace trisweep::plan
