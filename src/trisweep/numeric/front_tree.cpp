#include "trisweep/numeric/front_tree.hpp"

#include <algorithm>
#include <numeric>

#include "trisweep/core/permutation.hpp"

namespace trisweep::numeric {
namespace {

// Narrower supernodes are not chained: the many small products within a chain cost more than one copy.
constexpr Index narrowest_link = 32;

// Fronts before their children are ordered, numbered in the order of their last supernodes: children before
// parents.
struct Draft {
  std::vector<Index> head;       // by front: its first supernode
  std::vector<Index> last;       // by front
  std::vector<Index> next;       // by supernode: the next one of its chain, or -1
  std::vector<Index> child_ptr;  // fronts + 2: the last list has the roots
  std::vector<Index> child;
  std::vector<Index> subtree;  // number of fronts in it
  std::vector<Offset> stack_below, stack;

  Index fronts() const { return static_cast<Index>(last.size()); }
  std::span<Index> children(Index f) {
    return {child.data() + child_ptr[usize(f)], child.data() + child_ptr[usize(f) + 1]};
  }
};

bool chains(const symbolic::Structure& s, Index lower, Index upper) {
  return s.width(lower) >= narrowest_link && s.width(upper) >= narrowest_link &&
         s.height(lower) == s.width(upper) + s.height(upper);
}

// By supernode: its predecessor and its successor in its chain, or -1. If several children could be chained
// with their parent, the last one is.
void find_chains(const symbolic::Structure& s, std::vector<Index>& previous, std::vector<Index>& next) {
  for (auto* list : {&previous, &next}) list->assign(usize(s.supernodes()), -1);
  for (Index k = 0; k < s.supernodes(); ++k) {
    if (previous[usize(k)] != -1) next[usize(previous[usize(k)])] = k;
    const Index p = s.parent[usize(k)];
    if (p != -1 && chains(s, k, p)) previous[usize(p)] = k;
  }
}

Draft draft_fronts(const symbolic::Structure& s) {
  Draft d;
  std::vector<Index> previous, front_of(usize(s.supernodes()));
  find_chains(s, previous, d.next);
  d.last.reserve(usize(s.supernodes()));
  for (Index k = 0; k < s.supernodes(); ++k) {
    front_of[usize(k)] = d.fronts();
    if (d.next[usize(k)] == -1) d.last.push_back(k);
  }
  for (Index k = s.supernodes() - 1; k >= 0; --k) {
    if (d.next[usize(k)] != -1) front_of[usize(k)] = front_of[usize(d.next[usize(k)])];
  }
  const auto parent = [&](Index f) {
    const Index p = s.parent[usize(d.last[usize(f)])];
    return usize(p == -1 ? d.fronts() : front_of[usize(p)]);
  };
  d.child_ptr.assign(d.last.size() + 2, 0);
  for (Index f = 0; f < d.fronts(); ++f) ++d.child_ptr[parent(f) + 1];
  std::partial_sum(d.child_ptr.begin(), d.child_ptr.end(), d.child_ptr.begin());
  d.child.resize(d.last.size());
  d.head.resize(d.last.size());
  std::vector<Index> place(d.child_ptr.begin(), d.child_ptr.end() - 1);
  for (Index k = 0; k < s.supernodes(); ++k) {
    if (previous[usize(k)] != -1) continue;
    const Index f = front_of[usize(k)];
    d.head[usize(f)] = k;
    d.child[usize(place[parent(f)]++)] = f;
  }
  return d;
}

// Sorts children by descending (peak - entries left on the stack), and computes the resulting peaks.
void order_children(const symbolic::Structure& s, Draft& d) {
  for (auto* list : {&d.stack, &d.stack_below}) list->resize(d.last.size());
  d.subtree.resize(d.last.size());
  const auto leaves = [&](Index f) { return contribution_entries(s.height(d.last[usize(f)])); };
  const auto room = [&](Index f) { return d.stack[usize(f)] - leaves(f); };
  for (Index f = 0; f < d.fronts(); ++f) {
    const auto children = d.children(f);
    // Most are sorted already, or have no siblings.
    if (children.size() > 1 && !std::ranges::is_sorted(children, std::ranges::greater{}, room))
      std::ranges::stable_sort(children, std::ranges::greater{}, room);
    Offset alive = 0, peak = 0;
    Index subtree = 1;
    for (const Index c : children) {
      peak = std::max(peak, alive + d.stack[usize(c)]);
      alive += leaves(c);
      subtree += d.subtree[usize(c)];
    }
    d.subtree[usize(f)] = subtree;
    d.stack_below[usize(f)] = peak;
    d.stack[usize(f)] = std::max(peak, alive + leaves(f));
  }
}

// Places of the drafted fronts in a depth-first postorder.
std::vector<Index> postordered(Draft& d) {
  std::vector<Index> number(usize(d.fronts()));
  Index end = d.fronts();  // of the numbers of the subtrees below the current front that are not yet numbered
  for (Index f = d.fronts(); f >= 0; --f) {
    if (f < d.fronts()) end = number[usize(f)];
    const auto children = d.children(f);
    for (auto c = children.rbegin(); c != children.rend(); ++c) {
      number[usize(*c)] = end - 1;
      end -= d.subtree[usize(*c)];
    }
  }
  return number;
}

}  // namespace

FrontTree build_front_tree(const symbolic::Structure& s) {
  Draft d = draft_fronts(s);
  order_children(s, d);
  const std::vector<Index> number = postordered(d);
  const std::vector<Index> order = inverse_permutation(number);

  FrontTree t;
  t.member.resize(usize(s.supernodes()));
  t.child.resize(usize(d.child_ptr[order.size()]));
  for (auto* ptr : {&t.member_ptr, &t.child_ptr}) ptr->resize(order.size() + 1);
  t.parent.assign(order.size(), -1);
  for (auto* list : {&t.subtree_begin, &t.depth, &t.width, &t.height}) list->resize(order.size());
  for (auto* list : {&t.stack, &t.stack_below}) list->resize(order.size());
  Index members = 0, children = 0;
  for (std::size_t f = 0; f < order.size(); ++f) {
    const auto drafted = usize(order[f]);
    Index last = -1;
    for (Index k = d.head[drafted]; k != -1; k = d.next[usize(k)]) {
      t.member[usize(members++)] = last = k;
      t.width[f] += s.width(k);
    }
    for (const Index c : d.children(order[f])) {
      const Index child = t.child[usize(children++)] = number[usize(c)];
      t.parent[usize(child)] = static_cast<Index>(f);
    }
    t.subtree_begin[f] = static_cast<Index>(f) + 1 - d.subtree[drafted];
    t.member_ptr[f + 1] = members;
    t.child_ptr[f + 1] = children;
    t.height[f] = s.height(last);
    t.stack[f] = d.stack[drafted];
    t.stack_below[f] = d.stack_below[drafted];
  }
  for (Index f = t.fronts() - 1; f >= 0; --f) {
    if (t.parent[usize(f)] != -1) t.depth[usize(f)] = t.depth[usize(t.parent[usize(f)])] + 1;
  }
  return t;
}

}  // namespace trisweep::numeric
