#include "trisweep/numeric/front_tree.hpp"

#include <algorithm>
#include <numeric>

namespace trisweep::numeric {
namespace {

// Narrower supernodes are not chained: the many small products within a chain cost more than one copy.
constexpr Index narrowest_link = 32;

// Fronts before they are ordered: the links of the supernodes and the tree they form.
struct Draft {
  std::vector<Index> head;                   // by front: its first supernode
  std::vector<Index> next;                   // by supernode: the next one of its chain, or -1
  std::vector<Index> last;                   // by front
  std::vector<std::vector<Index>> children;  // by front
  std::vector<Index> roots;
  std::vector<Offset> stack_below, stack;
};

bool chains(const symbolic::Structure& s, Index lower, Index upper) {
  return std::min(s.width(lower), s.width(upper)) >= narrowest_link &&
         s.height(lower) == s.width(upper) + s.height(upper);
}

// Supernodes come before their parents, so one ascending pass finds every chain.
Draft draft_fronts(const symbolic::Structure& s) {
  Draft d;
  std::vector<Index> previous(usize(s.supernodes()), -1), front_of(usize(s.supernodes()));
  d.next.assign(usize(s.supernodes()), -1);
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Index below = previous[usize(k)];
    if (below == -1) {
      front_of[usize(k)] = static_cast<Index>(d.head.size());
      d.head.push_back(k);
      d.last.push_back(k);
    } else {
      front_of[usize(k)] = front_of[usize(below)];
      d.next[usize(below)] = k;
      d.last[usize(front_of[usize(k)])] = k;
    }
    const Index p = s.parent[usize(k)];
    if (p != -1 && chains(s, k, p)) previous[usize(p)] = k;
  }
  d.children.resize(d.head.size());
  for (Index f = 0; f < static_cast<Index>(d.head.size()); ++f) {
    const Index p = s.parent[usize(d.last[usize(f)])];
    (p == -1 ? d.roots : d.children[usize(front_of[usize(p)])]).push_back(f);
  }
  return d;
}

// Every front after its parent.
std::vector<Index> preorder(const Draft& d) {
  std::vector<Index> order = d.roots;
  order.reserve(d.head.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& children = d.children[usize(order[i])];
    order.insert(order.end(), children.begin(), children.end());
  }
  return order;
}

// Children in descending order of (their peak - what they leave), and the peaks that follow.
void order_children(const symbolic::Structure& s, Draft& d) {
  d.stack.assign(d.head.size(), 0);
  d.stack_below.assign(d.head.size(), 0);
  const auto leaves = [&](Index f) { return contribution_entries(s.height(d.last[usize(f)])); };
  const std::vector<Index> order = preorder(d);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    auto& children = d.children[usize(*it)];
    std::ranges::stable_sort(children, std::ranges::greater{},
                             [&](Index c) { return d.stack[usize(c)] - leaves(c); });
    Offset alive = 0, peak = 0;
    for (Index c : children) {
      peak = std::max(peak, alive + d.stack[usize(c)]);
      alive += leaves(c);
    }
    d.stack_below[usize(*it)] = peak;
    d.stack[usize(*it)] = std::max(peak, alive + leaves(*it));
  }
}

// Depth-first postorder of the drafted fronts, without recursion: trees may be as deep as the matrix is
// large.
std::vector<Index> postorder(const Draft& d) {
  std::vector<Index> order, path;
  std::vector<std::size_t> visited(d.head.size(), 0);
  order.reserve(d.head.size());
  for (Index root : d.roots) {
    path.push_back(root);
    while (!path.empty()) {
      const Index f = path.back();
      if (visited[usize(f)] < d.children[usize(f)].size()) {
        path.push_back(d.children[usize(f)][visited[usize(f)]++]);
      } else {
        order.push_back(f);
        path.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

FrontTree build_front_tree(const symbolic::Structure& s) {
  Draft d = draft_fronts(s);
  order_children(s, d);
  const std::vector<Index> order = postorder(d);
  std::vector<Index> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[usize(order[i])] = static_cast<Index>(i);

  FrontTree t;
  t.member_ptr = t.child_ptr = {0};
  t.parent.assign(order.size(), -1);
  t.depth.assign(order.size(), 0);
  for (Index drafted : order) {
    const auto f = static_cast<Index>(t.width.size());
    for (Index k = d.head[usize(drafted)]; k != -1; k = d.next[usize(k)]) t.member.push_back(k);
    for (Index c : d.children[usize(drafted)]) {
      t.child.push_back(number[usize(c)]);
      t.parent[usize(number[usize(c)])] = f;
    }
    t.member_ptr.push_back(static_cast<Index>(t.member.size()));
    t.child_ptr.push_back(static_cast<Index>(t.child.size()));
    const auto children = t.children(f);
    t.subtree_begin.push_back(children.empty() ? f : t.subtree_begin[usize(children.front())]);
    const auto members = t.members(f);
    t.width.push_back(std::transform_reduce(members.begin(), members.end(), Index{0}, std::plus{},
                                            [&](Index k) { return s.width(k); }));
    t.height.push_back(s.height(members.back()));
    t.stack.push_back(d.stack[usize(drafted)]);
    t.stack_below.push_back(d.stack_below[usize(drafted)]);
  }
  for (Index f = t.fronts() - 1; f >= 0; --f) {
    if (t.parent[usize(f)] != -1) t.depth[usize(f)] = t.depth[usize(t.parent[usize(f)])] + 1;
  }
  return t;
}

}  // namespace trisweep::numeric
