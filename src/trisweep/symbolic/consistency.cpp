#include "trisweep/symbolic/consistency.hpp"

#include <algorithm>
#include <functional>

namespace trisweep::symbolic {
namespace {

// True if the subtree of node t begins at `next`, which is set to its end.
bool follows(const ordering::SeparatorTree& tree, Index t, Index& next) {
  if (!tree.is_leaf(t) && !(follows(tree, 2 * t, next) && follows(tree, 2 * t + 1, next))) return false;
  if (tree.begin[usize(t)] != next || tree.end[usize(t)] < next) return false;
  next = tree.end[usize(t)];
  return true;
}

bool ascends(const std::vector<Offset>& ptr, std::size_t lists, std::size_t size) {
  return ptr.size() == lists + 1 && ptr.front() == 0 && std::ranges::is_sorted(ptr) &&
         usize(ptr.back()) == size;
}

bool has_sizes(const Structure& s) {
  if (s.n < 1 || s.first.size() < 2 || s.first.front() != 0 || s.first.back() != s.n) return false;
  const std::size_t count = s.first.size() - 1;
  return s.supernode_of.size() == usize(s.n) && s.parent.size() == count && s.whole.size() == count &&
         s.group.size() == count && ascends(s.row_ptr, count, s.row.size()) &&
         ascends(s.block_ptr, count, s.block.size());
}

bool is_columns_range(const Structure& s, Index k) {
  const Index begin = s.first[usize(k)], end = s.first[usize(k) + 1];
  return begin < end && std::all_of(s.supernode_of.begin() + begin, s.supernode_of.begin() + end,
                                    [&](Index of) { return of == k; });
}

// True if the rows of supernode k ascend and lie beyond its columns, and its blocks list exactly these rows,
// all in its own node of the tree or in an ancestor.
bool has_rows(const Structure& s, Index k, const std::vector<Index>& node_of) {
  const auto rows = s.rows(k);
  const auto is_ancestor = [&](Index node) {
    Index t = node_of[usize(k)];
    while (t > node) t /= 2;
    return t == node;
  };
  if (std::ranges::adjacent_find(rows, std::ranges::greater_equal()) != rows.end()) return false;
  if (!rows.empty() && (rows.front() < s.first[usize(k) + 1] || rows.back() >= s.n)) return false;
  Index next = 0;
  for (const Block& block : s.blocks(k)) {
    if (block.begin != next || block.end <= next || block.end > std::ssize(rows)) return false;
    next = block.end;
    for (Index i = block.begin; i < block.end; ++i)
      if (s.supernode_of[usize(rows[usize(i)])] != block.row_supernode) return false;
    if (!is_ancestor(node_of[usize(block.row_supernode)])) return false;
  }
  return next == std::ssize(rows);
}

}  // namespace

bool is_consistent(const ordering::SeparatorTree& tree, Index end) {
  if (tree.levels < 0 || tree.levels > ordering::most_levels) return false;
  if (tree.begin.size() != usize(tree.nodes()) || tree.end.size() != usize(tree.nodes())) return false;
  Index next = 0;
  return follows(tree, 1, next) && next == end;
}

bool is_consistent(const Structure& s) {
  if (!has_sizes(s) || !is_consistent(s.tree, s.supernodes())) return false;
  if (!std::ranges::is_sorted(s.first)) return false;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Index parent = s.parent[usize(k)], group = s.group[usize(k)];
    if (!is_columns_range(s, k) || parent < -1 || (parent >= 0 && parent <= k) || parent >= s.supernodes())
      return false;
    if (group != k && (k == 0 || group != s.group[usize(k) - 1])) return false;
  }
  const std::vector<Index> node_of = nodes_of_supernodes(s);
  for (Index k = 0; k < s.supernodes(); ++k)
    if (!has_rows(s, k, node_of)) return false;
  return true;
}

}  // namespace trisweep::symbolic
