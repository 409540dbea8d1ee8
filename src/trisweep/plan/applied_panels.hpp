#pragma once
// Which panels a phase applies in a layer. Only this file interprets the conditions of a description, for
// plans, trees, pictures and prices alike.

#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

// A block of the panel of `supernode`, and the rank that owns it.
struct AppliedBlock {
  Index supernode;
  Index row_supernode;
  Index rows;
  RankId rank;
};

class AppliedPanels {
 public:
  AppliedPanels(const symbolic::Structure& structure, const distribution::Mapping& mapping, Index layer,
                const SweepSpec& spec)
      : AppliedPanels(structure, mapping, layer, spec,
                      spec.side == distribution::Side::diagonal ? Blocks::of_tiles : Blocks::all) {}
  AppliedPanels(const symbolic::Structure& structure, const distribution::Mapping& mapping, Index layer,
                const DiagonalSpec& spec)
      : AppliedPanels(structure, mapping, layer,
                      SweepSpec{.side = distribution::Side::diagonal,
                                .direction = Direction::scatter,
                                .conjugate = false,
                                .tree = nullptr,
                                .at_home_only = spec.at_home_only,
                                .within = spec.within},
                      Blocks::of_others) {}

  // True if the segment of supernode k takes part in this phase in this layer.
  bool concerns(Index k) const {
    if (only_layer_) return true;
    const distribution::LayerRange layers = mapping_.layers_of(k);
    return layers.contains(layer_) && (!at_home_only_ || layers.first == layer_);
  }
  // True if the layer applies the panel of supernode k.
  bool contains(Index k) const {
    return within_.contains(k) && panels_.contains(k) && concerns(k) &&
           (blocks_ == Blocks::all || structure_.is_tile(k) == (blocks_ == Blocks::of_tiles));
  }

  // Calls visit(AppliedBlock) for all blocks: panels by level of the separator tree, the root first, and by
  // descending supernode within a level; the rows of each ascend.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    const ordering::SeparatorTree& tree = structure_.tree;
    for (Index level = 1; level < tree.nodes(); level *= 2) {
      for (Index t = 2 * level - 1; t >= level; --t) {
        for (Index k = tree.end[usize(t)] - 1; k >= tree.begin[usize(t)]; --k) {
          if (contains(k)) visit_panel(k, visit);
        }
      }
    }
  }

 private:
  // The diagonal side has the blocks of the tiles' product and the other inverted diagonal blocks.
  enum class Blocks { all, of_tiles, of_others };

  AppliedPanels(const symbolic::Structure& structure, const distribution::Mapping& mapping, Index layer,
                const SweepSpec& spec, Blocks blocks)
      : structure_(structure),
        mapping_(mapping),
        layer_(layer),
        only_layer_(mapping.layers() == 1),
        side_(spec.side),
        panels_(spec.panels),
        within_(spec.within),
        at_home_only_(spec.at_home_only),
        blocks_(blocks) {}

  template <class Visit>
  void visit_panel(Index k, Visit& visit) const {
    distribution::for_each_block(structure_, side_, k, [&](const symbolic::Block& block) {
      visit(AppliedBlock{.supernode = k,
                         .row_supernode = block.row_supernode,
                         .rows = block.end - block.begin,
                         .rank = RankId(mapping_.owner(layer_, side_, block.row_supernode, k))});
    });
  }

  const symbolic::Structure& structure_;
  const distribution::Mapping& mapping_;
  Index layer_;
  bool only_layer_;
  distribution::Side side_;
  SupernodeRange panels_;
  SupernodeSet within_;
  bool at_home_only_;
  Blocks blocks_;
};

}  // namespace trisweep::plan
