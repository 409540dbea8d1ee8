#include <algorithm>

#include "trisweep/plan/schedule.hpp"
#include "trisweep/plan/sweep.hpp"

namespace trisweep::plan {
namespace {

using distribution::LayerRange;
using distribution::Mapping;
using distribution::Share;

// The supernodes that exactly `layers` layers hold, `layer` among them: one node of the separator tree, or a
// whole leaf subtree.
SupernodeRange node_of(const symbolic::Structure& structure, const Mapping& mapping, Index layer,
                       Index layers) {
  SupernodeRange range{0, 0};
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const LayerRange held = mapping.layers_of(k);
    if (held.last - held.first != layers || !held.contains(layer)) continue;
    if (range.last == 0) range.first = k;
    range.last = k + 1;
  }
  return range;
}

class Builder {
 public:
  Builder(const symbolic::Structure& structure, const Mapping& mapping, const Share& share,
          const PlanSpec& spec)
      : structure_(structure), mapping_(mapping), share_(share), spec_(spec) {}

  Plan build() && {
    const SweepSides sides = sweep_sides(spec_.op, spec_.upper_is_lower);
    const Index top = mapping_.layers();
    for (Index layers = 1; layers <= top; layers *= 2) {
      sweep({sides.forward, Direction::scatter, sides.conjugate_forward, spec_.tree, {}, spec_.accumulation},
            layers);
      if (layers < top) hand_over(layers, Transfer::receive_add, Transfer::send);
    }
    diagonal();
    for (Index layers = top; layers >= 1; layers /= 2) {
      sweep({sides.backward, Direction::gather, sides.conjugate_backward, spec_.tree, {}, spec_.accumulation},
            layers);
      if (layers > 1) hand_over(layers / 2, Transfer::send, Transfer::receive_copy);
    }
    return std::move(plan_);
  }

 private:
  // At a node above `layers` layers only the lowest of them is active. Idle ranks have an empty phase: phases
  // are numbered alike on all ranks.
  void sweep(SweepSpec spec, Index layers) {
    SweepPhase idle;
    idle.direction = spec.direction;
    if (share_.layer % layers != 0) {
      plan_.phase.push_back(std::move(idle));
      return;
    }
    spec.panels = node_of(structure_, mapping_, share_.layer, layers);
    plan_.phase.push_back(make_sweep(structure_, mapping_, share_, spec));
  }

  // Between the two active layers below a node: the lower one's part and the upper one's.
  void hand_over(Index distance, Transfer lower, Transfer upper) {
    ExchangePhase phase;
    const HeldBy shared{.fewest = 2 * distance};
    if (share_.layer % (2 * distance) == 0) {
      pair_up(mapping_, share_, share_.layer + distance, lower, shared, phase.step);
    } else if (share_.layer % (2 * distance) == distance) {
      pair_up(mapping_, share_, share_.layer - distance, upper, shared, phase.step);
    }
    plan_.phase.push_back(std::move(phase));
  }

  void diagonal() {
    DiagonalPhase phase{.op = spec_.op, .segment = {}};
    for (Index s = 0; s < share_.segments(); ++s) {
      if (mapping_.home(share_.segment[usize(s)]) == share_.rank) phase.segment.push_back(s);
    }
    plan_.phase.push_back(std::move(phase));
  }

  const symbolic::Structure& structure_;
  const Mapping& mapping_;
  const Share& share_;
  const PlanSpec& spec_;
  Plan plan_;
};

}  // namespace

Plan level_sync(const symbolic::Structure& structure, const Mapping& mapping, const Share& share,
                const PlanSpec& spec) {
  return Builder(structure, mapping, share, spec).build();
}

}  // namespace trisweep::plan
