#include "trisweep/symbolic/etree.hpp"

#include <algorithm>
#include <numeric>

namespace trisweep::symbolic {
namespace {

// Row i's entries left of the diagonal: columns that update column i.
std::span<const Index> left_part(const matrix::Pattern& pattern, Index i) {
  const auto row = pattern.row(i);
  return row.first(usize(std::lower_bound(row.begin(), row.end(), i) - row.begin()));
}

// Union-find by the path halving of Tarjan: the representative of a vertex's set is its topmost vertex.
class Tops {
 public:
  explicit Tops(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), 0); }

  Index top(Index v) {
    while (above_[usize(v)] != v) {
      above_[usize(v)] = above_[usize(above_[usize(v)])];
      v = above_[usize(v)];
    }
    return v;
  }
  void attach(Index v, Index parent) { above_[usize(v)] = parent; }

 private:
  std::vector<Index> above_;
};

// By vertex: the postorder number of its first descendant.
std::vector<Index> first_descendants(const std::vector<Index>& parent, const std::vector<Index>& post) {
  std::vector<Index> first(parent.size(), -1);
  for (std::size_t k = 0; k < post.size(); ++k) {
    for (Index v = post[k]; v >= 0 && first[usize(v)] < 0; v = parent[usize(v)])
      first[usize(v)] = static_cast<Index>(k);
  }
  return first;
}

}  // namespace

std::vector<Index> elimination_tree(const matrix::Pattern& pattern) {
  std::vector<Index> parent(usize(pattern.rows), -1);
  Tops tops(parent.size());
  for (Index i = 0; i < pattern.rows; ++i) {
    for (const Index j : left_part(pattern, i)) {
      const Index root = tops.top(j);
      if (root == i) continue;
      parent[usize(root)] = i;
      tops.attach(root, i);
    }
  }
  return parent;
}

std::vector<Index> postorder(const std::vector<Index>& parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> first_child(parent.size(), -1), sibling(parent.size(), -1), post, stack;
  Index first_root = -1;
  for (Index v = n - 1; v >= 0; --v) {  // backwards, so that lists of children ascend
    Index& head = parent[usize(v)] < 0 ? first_root : first_child[usize(parent[usize(v)])];
    sibling[usize(v)] = head;
    head = v;
  }
  post.reserve(parent.size());
  for (Index root = first_root; root >= 0; root = sibling[usize(root)]) {
    for (stack.assign(1, root); !stack.empty();) {
      Index& child = first_child[usize(stack.back())];
      if (child < 0) {
        post.push_back(stack.back());
        stack.pop_back();
      } else {
        const Index next = child;
        child = sibling[usize(next)];
        stack.push_back(next);
      }
    }
  }
  return post;
}

// Row i of L is a subtree of the elimination tree rooted in i, whose leaves are among the entries of row i of
// A. A column's count is the number of row subtrees it is in: +1 at each leaf, -1 where the paths of two
// consecutive leaves meet, -1 above each root, all summed up the tree.
std::vector<Index> column_counts(const matrix::Pattern& pattern, const std::vector<Index>& parent,
                                 const std::vector<Index>& post) {
  const std::vector<Index> first = first_descendants(parent, post);
  std::vector<Index> count(parent.size(), 0), latest_first(parent.size(), -1), latest_leaf(parent.size(), -1);
  Tops tops(parent.size());
  for (std::size_t k = 0; k < post.size(); ++k) {
    const Index j = post[k];
    if (first[usize(j)] == static_cast<Index>(k)) ++count[usize(j)];  // a leaf of its own row's subtree
    if (parent[usize(j)] >= 0) --count[usize(parent[usize(j)])];
    const auto row = pattern.row(j);
    for (auto i = std::upper_bound(row.begin(), row.end(), j); i != row.end(); ++i) {
      if (first[usize(j)] <= latest_first[usize(*i)]) continue;  // not a leaf: a descendant of j is
      latest_first[usize(*i)] = static_cast<Index>(k);
      ++count[usize(j)];
      const Index previous = latest_leaf[usize(*i)];
      if (previous >= 0) --count[usize(tops.top(previous))];
      latest_leaf[usize(*i)] = j;
    }
    if (parent[usize(j)] >= 0) tops.attach(j, parent[usize(j)]);
  }
  for (const Index j : post) {
    if (parent[usize(j)] >= 0) count[usize(parent[usize(j)])] += count[usize(j)];
  }
  return count;
}

std::vector<Index> numbered_by_range(const std::vector<Index>& post, const std::vector<Index>& range_of,
                                     Index ranges) {
  std::vector<Index> next(usize(ranges) + 1, 0);
  for (const Index r : range_of) ++next[usize(r) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Index> new_of(post.size());
  for (const Index v : post) new_of[usize(v)] = next[usize(range_of[usize(v)])]++;
  return new_of;
}

}  // namespace trisweep::symbolic
