#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

// Ranks as a grid of px x py, row by row.
struct RankGrid {
  Index px = 1;
  Index py = 1;
  std::vector<Index> rank;

  RankGrid() = default;
  // As square as possible.
  explicit RankGrid(std::span<const Index> ranks)
      : px(static_cast<Index>(std::sqrt(ranks.size()))),
        py(static_cast<Index>(ranks.size()) / px),
        rank(ranks.begin(), ranks.end()) {}

  Index operator()(Index row, Index col) const { return rank[usize(row) * usize(py) + usize(col)]; }
};

// By node of the separator tree: entries that a forward and a backward sweep read.
std::vector<double> node_entries(const symbolic::Structure& s) {
  std::vector<double> entries(usize(s.tree.nodes()), 0);
  for (Index t = s.tree.nodes() - 1; t >= 1; --t) {
    for (Index k = s.tree.begin[usize(t)]; k < s.tree.end[usize(t)]; ++k) {
      const auto [group, last] = s.group_of(k);
      const double diagonal = double(s.first[usize(last)]) - s.first[usize(group)];
      entries[usize(t)] += double(s.width(k)) * (diagonal + 2.0 * s.height(k));
    }
  }
  return entries;
}

class Sharing {
 public:
  Sharing(const symbolic::Structure& structure, Index ranks)
      : tree_(structure.tree),
        own_(node_entries(structure)),
        below_(own_),
        load_(usize(ranks), 0),
        grids_(usize(tree_.nodes())) {
    for (Index t = tree_.nodes() - 1; t > 1; --t) below_[usize(t / 2)] += below_[usize(t)];
    lay_out(ranks);
    // Subtrees first; then separators, from the lowest up, which even out the imbalance that the subtrees
    // leave.
    for (const bool shared : {false, true}) {
      for (Index t = tree_.nodes() - 1; t >= 1; --t) {
        const auto [first, last] = ranks_of(t);
        if ((last - first > 1) == shared) share_node(t, first, last);
      }
    }
  }
  std::vector<RankGrid> take() && { return std::move(grids_); }

 private:
  // An interval on the line of ranks, on which rank r is [r, r + 1).
  struct Stretch {
    double begin;
    double end;
    double length() const { return end - begin; }
  };

  // Gives each node the stretch of its subtree.
  void lay_out(Index ranks) {
    stretch_.resize(usize(tree_.nodes()));
    stretch_[1] = {0, double(ranks)};
    for (Index t = 1; !tree_.is_leaf(t); ++t) {
      const Stretch& all = stretch_[usize(t)];
      const double middle = division(t, all);
      stretch_[usize(2 * t)] = {all.begin, middle};
      stretch_[usize(2 * t + 1)] = {middle, all.end};
    }
  }

  // End of the left subtree's stretch: in proportion to entries, within a rank if necessary. It is moved to
  // the nearest boundary between ranks if that takes little from either side, or less than half a leaf, which
  // is as fine as the tree divides.
  double division(Index t, const Stretch& all) const {
    constexpr double little = 1.0 / 16;  // far less than separators even out
    const double left = below_[usize(2 * t)], both = left + below_[usize(2 * t + 1)];
    if (both == 0) return all.begin;
    const double middle = all.begin + all.length() * left / both;
    const double between = std::clamp(std::round(middle), all.begin, all.end);
    const double smaller_side = std::min(middle - all.begin, all.end - middle);
    const double leaf = all.length() / double(leaves_below(t));
    return std::abs(middle - between) <= std::max(little * smaller_side, leaf / 2) ? between : middle;
  }

  Offset leaves_below(Index t) const {
    Offset leaves = 1;
    for (; !tree_.is_leaf(t); t *= 2) leaves *= 2;
    return leaves;
  }

  // Ranks [first, last) of a node. A leaf shorter than a rank stays on one, that of its midpoint.
  std::pair<Index, Index> ranks_of(Index t) const {
    Stretch on = stretch_[usize(t)];
    if (tree_.is_leaf(t) && on.length() < 1) on.begin = on.end = on.begin + on.length() / 2;
    const auto ranks = static_cast<Index>(load_.size());
    const Index first = std::min(static_cast<Index>(on.begin), ranks - 1);
    return {first, std::max(static_cast<Index>(std::ceil(on.end)), first + 1)};
  }

  // Distributes the node itself over the least loaded of its ranks.
  void share_node(Index t, Index first, Index last) {
    std::vector<Index> ranks(usize(last - first));
    std::iota(ranks.begin(), ranks.end(), first);
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](Index a, Index b) { return load_[usize(a)] < load_[usize(b)]; });
    ranks.resize(usize(sharers(own_[usize(t)], ranks)));
    std::sort(ranks.begin(), ranks.end());
    const RankGrid& grid = grids_[usize(t)] = RankGrid(ranks);
    for (const Index r : grid.rank) load_[usize(r)] += own_[usize(t)] / double(grid.rank.size());
  }

  // How many of `ranks`, sorted by ascending load, share a node. All ranks below wait for each sharer's part
  // of it, so this part weighs more than the load to which it is added.
  Index sharers(double entries, std::span<const Index> ranks) const {
    constexpr double weight = 3;
    constexpr double worth_a_message = 1000;  // entries: 2 us at a core's part of the bandwidth
    Index best = 1;
    double best_cost = std::numeric_limits<double>::infinity();
    for (Index k = 1; k <= static_cast<Index>(ranks.size()); ++k) {
      if (k > 1 && entries / k < worth_a_message) break;
      if (k % static_cast<Index>(std::sqrt(k)) != 0) continue;  // no grid
      const double cost = load_[usize(ranks[usize(k) - 1])] + weight * entries / k;
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = k;
    }
    return best;
  }

  const ordering::SeparatorTree& tree_;
  std::vector<double> own_;       // entries of each node
  std::vector<double> below_;     // entries of each node's subtree
  std::vector<double> load_;      // entries of each rank so far
  std::vector<Stretch> stretch_;  // of each subtree
  std::vector<RankGrid> grids_;
};

std::vector<RankGrid> node_grids(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return Sharing(structure, grid.ranks()).take();
}

// Distributes the rows of one node's panels over `px` process rows, by the supernodes above the node that
// they lie in: the largest first, each to the process row with the fewest entries.
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
        grid_of_(node_grids(structure, grid)),
        node_of_(symbolic::nodes_of_supernodes(structure)) {
    rows_.resize(usize(structure.tree.nodes()));
    for (Index t = 1; t < structure.tree.nodes(); ++t)
      rows_[usize(t)] = RowDeal(structure, t, grid_of_[usize(t)].px);
  }

  Index ranks() const override { return ranks_; }
  Index layers() const override { return 1; }
  Index layer_of_rank(Index) const override { return 0; }
  LayerRange layers_of(Index) const override { return {0, 1}; }

  Index owner(Index, Side, Index i, Index k) const override {
    const Index t = node_of_[usize(k)];
    const RankGrid& grid = grid_of_[usize(t)];
    if (grid.rank.size() == 1) return grid.rank.front();
    const Index row = node_of_[usize(i)] == t ? (i - begin_[usize(t)]) % grid.px : rows_[usize(t)](i);
    return grid(row, (k - begin_[usize(t)]) % grid.py);
  }

 private:
  Index ranks_;
  std::vector<Index> begin_;       // nodes: first supernode
  std::vector<RankGrid> grid_of_;  // nodes
  std::vector<Index> node_of_;     // supernodes
  std::vector<RowDeal> rows_;      // nodes
};

}  // namespace

std::vector<Index> proportional_sides(const symbolic::Structure& structure, const ProcessGrid& grid) {
  std::vector<Index> longest;
  for (const RankGrid& node : node_grids(structure, grid)) longest.push_back(std::max(node.px, node.py));
  return longest;
}

std::unique_ptr<Mapping> proportional(const symbolic::Structure& structure, const ProcessGrid& grid) {
  return std::make_unique<Proportional>(structure, grid);
}

}  // namespace trisweep::distribution
