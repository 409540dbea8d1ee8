#include <algorithm>
#include <cmath>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

// Consecutive ranks on a grid of px x py, of which a few may stay without a place.
struct RankGrid {
  Index first = 0;
  Index ranks = 1;
  Index px = 1;
  Index py = 1;

  RankGrid() = default;
  RankGrid(Index first_rank, Index count)
      : first(first_rank),
        ranks(count),
        px(static_cast<Index>(std::sqrt(static_cast<double>(count)))),
        py(count / px) {}
  Index rank(Index row, Index column) const { return first + row % px * py + column % py; }
};

class Proportional final : public Mapping {
 public:
  Proportional(const symbolic::Structure& structure, Index ranks)
      : ranks_(ranks), node_of_(usize(structure.supernodes())), grid_of_(usize(structure.tree.nodes())) {
    const auto& tree = structure.tree;
    for (Index t = 1; t < tree.nodes(); ++t)
      std::fill(node_of_.begin() + tree.begin[usize(t)], node_of_.begin() + tree.end[usize(t)], t);
    share_out(tree, subtree_entries(structure), 1, RankGrid(0, ranks));
  }

  Index ranks() const override { return ranks_; }
  Index layers() const override { return 1; }
  Index layer_of_rank(Index) const override { return 0; }
  LayerRange layers_of(Index) const override { return {0, 1}; }

  Index owner(Index, Side side, Index i, Index k) const override {
    const RankGrid& grid = grid_of_[usize(node_of_[usize(k)])];
    return side == Side::upper ? grid.rank(k, i) : grid.rank(i, k);
  }

 private:
  // What a forward and a backward sweep read, of the whole subtree below each node.
  static std::vector<double> subtree_entries(const symbolic::Structure& s) {
    std::vector<double> entries(usize(s.tree.nodes()), 0);
    for (Index t = s.tree.nodes() - 1; t >= 1; --t) {
      for (Index k = s.tree.begin[usize(t)]; k < s.tree.end[usize(t)]; ++k) {
        const auto [group, last] = s.group_of(k);
        const double diagonal = double(s.first[usize(last)]) - s.first[usize(group)];
        entries[usize(t)] += double(s.width(k)) * (diagonal + 2.0 * s.height(k));
      }
      if (t > 1) entries[usize(t / 2)] += entries[usize(t)];
    }
    return entries;
  }

  void share_out(const ordering::SeparatorTree& tree, const std::vector<double>& entries, Index t,
                 const RankGrid& grid) {
    grid_of_[usize(t)] = grid;
    if (tree.is_leaf(t)) return;
    const Index left = 2 * t, right = 2 * t + 1;
    const double both = entries[usize(left)] + entries[usize(right)];
    if (grid.ranks == 1 || both == 0) {
      share_out(tree, entries, left, grid);
      share_out(tree, entries, right, grid);
      return;
    }
    const double fair = std::round(grid.ranks * entries[usize(left)] / both);
    const Index ranks = std::clamp(static_cast<Index>(fair), Index{1}, grid.ranks - 1);
    share_out(tree, entries, left, RankGrid(grid.first, ranks));
    share_out(tree, entries, right, RankGrid(grid.first + ranks, grid.ranks - ranks));
  }

  Index ranks_;
  std::vector<Index> node_of_;     // supernodes
  std::vector<RankGrid> grid_of_;  // nodes
};

}  // namespace

std::unique_ptr<Mapping> proportional(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return std::make_unique<Proportional>(structure, grid.ranks());
}

}  // namespace trisweep::distribution
