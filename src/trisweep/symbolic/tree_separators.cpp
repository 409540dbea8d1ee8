#include "trisweep/symbolic/tree_separators.hpp"

#include <algorithm>
#include <array>

#include "trisweep/symbolic/etree.hpp"

namespace trisweep::symbolic {
namespace {

// A subtree with more than this share of a set's work is taken apart.
constexpr double most_of_work = 0.6;

class TreeSplitter {
 public:
  TreeSplitter(const std::vector<Index>& parent, const std::vector<double>& work, int levels)
      : parent_(parent), own_(work), below_(work), child_(parent.size()), node_(parent.size(), 0) {
    tree_.levels = levels;
    tree_.begin.resize(usize(tree_.nodes()));
    tree_.end.resize(usize(tree_.nodes()));
    std::vector<Index> roots;
    for (std::size_t v = 0; v < parent.size(); ++v) {
      const Index p = parent[v];
      (p < 0 ? roots : child_[usize(p)]).push_back(static_cast<Index>(v));
      if (p >= 0) below_[usize(p)] += below_[v];
    }
    divide(1, std::move(roots));
    for (std::size_t v = parent.size(); v-- > 0;) {
      if (node_[v] == 0) node_[v] = node_[usize(parent[v])];
    }
  }

  TreeOrder take() && {
    std::vector<Index> size(usize(tree_.nodes())), range(usize(tree_.nodes()));
    for (const Index t : node_) ++size[usize(t)];
    Index ranges = 0;
    number(1, size, range, ranges, 0);
    std::vector<Index> range_of;
    range_of.reserve(node_.size());
    for (const Index t : node_) range_of.push_back(range[usize(t)]);
    return {numbered_by_range(postorder(parent_), range_of, ranges), std::move(tree_)};
  }

 private:
  // Assigns the columns of a separator, and the roots of a leaf's subtrees, to their node.
  void divide(Index node, std::vector<Index> set) {
    const auto lighter = [&](Index a, Index b) { return below_[usize(a)] < below_[usize(b)]; };
    if (tree_.is_leaf(node)) {
      for (const Index root : set) node_[usize(root)] = node;
      return;
    }
    double all = 0;
    for (const Index root : set) all += below_[usize(root)];
    std::ranges::make_heap(set, lighter);
    while (!set.empty() && below_[usize(set.front())] > most_of_work * all) {
      std::ranges::pop_heap(set, lighter);
      const Index root = set.back();
      set.pop_back();
      node_[usize(root)] = node;
      all -= own_[usize(root)];
      for (const Index c : child_[usize(root)]) {
        set.push_back(c);
        std::ranges::push_heap(set, lighter);
      }
    }
    std::ranges::sort_heap(set, lighter);
    std::array<std::vector<Index>, 2> half;
    std::array<double, 2> work{};
    for (std::size_t i = set.size(); i-- > 0;) {
      const int side = work[1] < work[0];
      half[usize(side)].push_back(set[i]);
      work[usize(side)] += below_[usize(set[i])];
    }
    divide(2 * node, std::move(half[0]));
    divide(2 * node + 1, std::move(half[1]));
  }

  // Numbers both subtrees before their root. Returns the first column after them.
  Index number(Index node, const std::vector<Index>& size, std::vector<Index>& range, Index& ranges,
               Index begin) {
    if (!tree_.is_leaf(node)) {
      begin = number(2 * node, size, range, ranges, begin);
      begin = number(2 * node + 1, size, range, ranges, begin);
    }
    range[usize(node)] = ranges++;
    tree_.begin[usize(node)] = begin;
    return tree_.end[usize(node)] = begin + size[usize(node)];
  }

  const std::vector<Index>& parent_;
  const std::vector<double>& own_;
  std::vector<double> below_;  // work of each subtree
  std::vector<std::vector<Index>> child_;
  std::vector<Index> node_;  // by column; 0: that of its parent
  ordering::SeparatorTree tree_;
};

}  // namespace

TreeOrder tree_separators(const std::vector<Index>& parent, const std::vector<double>& work, int levels) {
  return TreeSplitter(parent, work, levels).take();
}

}  // namespace trisweep::symbolic
