#include <bit>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

class BlockCyclic final : public Mapping {
 public:
  BlockCyclic(const symbolic::Structure& structure, const ProcessGrid& grid)
      : grid_(grid), layers_of_(usize(structure.supernodes())) {
    const auto& tree = structure.tree;
    for (Index t = 1; t < tree.nodes(); ++t) {
      for (Index k = tree.begin[usize(t)]; k < tree.end[usize(t)]; ++k)
        layers_of_[usize(k)] = node_layers(tree, t);
    }
  }

  Index ranks() const override { return grid_.ranks(); }
  Index layers() const override { return grid_.pz; }
  Index layer_of_rank(Index rank) const override { return grid_.point(rank).z; }
  LayerRange layers_of(Index k) const override { return layers_of_[usize(k)]; }

  Index owner(Index layer, Side side, Index i, Index k) const override {
    const Index row = side == Side::upper ? k : i;
    const Index column = side == Side::upper ? i : k;
    return grid_.rank({row % grid_.px, column % grid_.py, layer});
  }

 private:
  // Node t at depth d stands above the layers whose number begins with t's path of d bits.
  LayerRange node_layers(const ordering::SeparatorTree& tree, Index t) const {
    const int height = std::countr_zero(static_cast<unsigned>(grid_.pz));
    const int depth = std::bit_width(static_cast<unsigned>(t)) - 1;
    const Index path = t - (Index{1} << depth);
    if (depth >= height) return {path >> (depth - height), (path >> (depth - height)) + 1};
    const Index first = path << (height - depth);
    if (tree.is_leaf(t)) return {first, first + 1};
    return {first, first + (Index{1} << (height - depth))};
  }

  ProcessGrid grid_;
  std::vector<LayerRange> layers_of_;
};

}  // namespace

std::vector<Index> block_cyclic_sides(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return std::vector<Index>(usize(structure.tree.nodes()), std::max(grid.px, grid.py));
}

std::unique_ptr<Mapping> block_cyclic(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return std::make_unique<BlockCyclic>(structure, grid);
}

}  // namespace trisweep::distribution
