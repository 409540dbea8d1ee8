#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

// What a forward and a backward sweep read, of the whole subtree below each node of the separator tree.
std::vector<double> subtree_entries(const symbolic::Structure& s) {
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

class Sharing {
 public:
  Sharing(const symbolic::Structure& structure, Index ranks)
      : tree_(structure.tree), entries_(subtree_entries(structure)), grids_(usize(tree_.nodes())) {
    share_out(1, RankGrid(0, ranks));
  }
  std::vector<RankGrid> take() && { return std::move(grids_); }

 private:
  void share_out(Index t, const RankGrid& grid) {
    grids_[usize(t)] = grid;
    if (tree_.is_leaf(t)) return;
    const Index left = 2 * t, right = 2 * t + 1;
    const double both = entries_[usize(left)] + entries_[usize(right)];
    if (grid.ranks == 1 || both == 0) {
      share_out(left, grid);
      share_out(right, grid);
      return;
    }
    const double fair = std::round(grid.ranks * entries_[usize(left)] / both);
    const Index ranks = std::clamp(static_cast<Index>(fair), Index{1}, grid.ranks - 1);
    share_out(left, RankGrid(grid.first, ranks));
    share_out(right, RankGrid(grid.first + ranks, grid.ranks - ranks));
  }

  const ordering::SeparatorTree& tree_;
  std::vector<double> entries_;
  std::vector<RankGrid> grids_;
};

// The rows of one node's panels, by the supernodes above the node that they lie in, dealt out to `px` process
// rows: the largest first, each to the row that has least.
class RowDeal {
 public:
  RowDeal() = default;
  RowDeal(const symbolic::Structure& s, Index t, Index px) {
    if (px == 1) return;
    std::map<Index, Offset> entries;
    for (Index k = s.tree.begin[usize(t)]; k < s.tree.end[usize(t)]; ++k) {
      for (const auto& block : s.blocks(k)) {
        if (block.row_supernode >= s.tree.end[usize(t)])
          entries[block.row_supernode] += Offset{block.end - block.begin} * s.width(k);
      }
    }
    std::vector<std::pair<Offset, Index>> largest_first;
    for (const auto& [i, size] : entries) {
      supernode_.push_back(i);
      largest_first.emplace_back(-size, static_cast<Index>(supernode_.size()) - 1);
    }
    std::sort(largest_first.begin(), largest_first.end());
    process_row_.resize(supernode_.size());
    std::vector<Offset> load(usize(px), 0);
    for (const auto& [size, place] : largest_first) {
      const auto least = std::min_element(load.begin(), load.end());
      process_row_[usize(place)] = static_cast<Index>(least - load.begin());
      *least -= size;
    }
  }

  Index operator()(Index i) const {
    if (supernode_.empty()) return 0;
    const auto at = std::lower_bound(supernode_.begin(), supernode_.end(), i);
    return process_row_[usize(at - supernode_.begin())];
  }

 private:
  std::vector<Index> supernode_;  // ascending
  std::vector<Index> process_row_;
};

class Proportional final : public Mapping {
 public:
  Proportional(const symbolic::Structure& structure, const ProcessGrid& grid)
      : ranks_(grid.ranks()),
        begin_(structure.tree.begin),
        grid_of_(proportional_node_grids(structure, grid)) {
    const auto& tree = structure.tree;
    node_of_.resize(usize(structure.supernodes()));
    rows_.resize(usize(tree.nodes()));
    for (Index t = 1; t < tree.nodes(); ++t) {
      std::fill(node_of_.begin() + tree.begin[usize(t)], node_of_.begin() + tree.end[usize(t)], t);
      rows_[usize(t)] = RowDeal(structure, t, grid_of_[usize(t)].px);
    }
  }

  Index ranks() const override { return ranks_; }
  Index layers() const override { return 1; }
  Index layer_of_rank(Index) const override { return 0; }
  LayerRange layers_of(Index) const override { return {0, 1}; }

  Index owner(Index, Side, Index i, Index k) const override {
    const Index t = node_of_[usize(k)];
    const RankGrid& grid = grid_of_[usize(t)];
    if (grid.ranks == 1) return grid.first;
    const Index row = node_of_[usize(i)] == t ? (i - begin_[usize(t)]) % grid.px : rows_[usize(t)](i);
    return grid.first + row * grid.py + (k - begin_[usize(t)]) % grid.py;
  }

 private:
  Index ranks_;
  std::vector<Index> begin_;       // nodes: first supernode
  std::vector<RankGrid> grid_of_;  // nodes
  std::vector<Index> node_of_;     // supernodes
  std::vector<RowDeal> rows_;      // nodes
};

}  // namespace

std::vector<RankGrid> proportional_node_grids(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return Sharing(structure, grid.ranks()).take();
}

std::unique_ptr<Mapping> proportional(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return std::make_unique<Proportional>(structure, grid);
}

}  // namespace trisweep::distribution
