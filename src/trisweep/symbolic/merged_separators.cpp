#include "trisweep/symbolic/merged_separators.hpp"

#include <numeric>

namespace trisweep::symbolic {
namespace {

class Merging {
 public:
  Merging(const ordering::SeparatorTree& tree, const SymbolicOptions& options)
      : tree_(tree), options_(options), into_(usize(tree.nodes())) {
    std::iota(into_.begin(), into_.end(), 0);
    visit(1, 0);
  }
  std::vector<Index> take() && { return std::move(into_); }

 private:
  double width(Index t) const { return double(tree_.end[usize(t)]) - tree_.begin[usize(t)]; }

  void visit(Index t, int depth) {
    const bool children_are_whole = depth + 1 < options_.whole_levels && !tree_.is_leaf(2 * t);
    if (!children_are_whole) return;
    const bool merges = pays(t, depth);
    for (const Index child : {2 * t, 2 * t + 1}) {
      if (merges) into_[usize(child)] = t;
      const bool grandchildren = !tree_.is_leaf(2 * child);
      if (!merges) visit(child, depth + 1);
      if (merges && grandchildren) {
        visit(2 * child, depth + 2);
        visit(2 * child + 1, depth + 2);
      }
    }
  }

  // True if one inverse of all three, instead of one of each, adds few enough entries for each rank below.
  bool pays(Index t, int depth) const {
    const double a = width(2 * t), b = width(2 * t + 1), c = width(t), all = a + b + c;
    const double ranks = double(Offset{1} << (options_.whole_levels - depth));
    const double added = all * all - a * a - b * b - c * c;
    return ranks >= options_.merge_ranks && added <= ranks * options_.merge_entries;
  }

  const ordering::SeparatorTree& tree_;
  const SymbolicOptions& options_;
  std::vector<Index> into_;
};

// The tree after merging; each subtree's columns come right before its root's.
ordering::SeparatorTree in_order(const ordering::SeparatorTree& tree, const std::vector<Index>& into) {
  std::vector<Index> width(usize(tree.nodes()), 0);
  for (Index t = 1; t < tree.nodes(); ++t)
    width[usize(into[usize(t)])] += tree.end[usize(t)] - tree.begin[usize(t)];
  return ordering::tree_of_sizes(width);
}

}  // namespace

MergedTree merge_separators(const ordering::SeparatorTree& tree, const SymbolicOptions& options) {
  std::vector<Index> into = Merging(tree, options).take();
  ordering::SeparatorTree merged = in_order(tree, into);
  return {.into = std::move(into), .tree = std::move(merged)};
}

}  // namespace trisweep::symbolic
