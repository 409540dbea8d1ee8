#include "trisweep/numeric/front_tree.hpp"

#include <algorithm>
#include <numeric>

namespace trisweep::numeric {
namespace {

// Narrower supernodes are not chained: the many small products within a chain cost more than one copy.
constexpr Index narrowest_link = 32;

// Fronts before they are ordered: the links of the supernodes and the tree they form.
struct Draft {
  std::vector<Index> head;       // by front: its first supernode
  std::vector<Index> next;       // by supernode: the next one of its chain, or -1
  std::vector<Index> last;       // by front
  std::vector<Index> child_ptr;  // fronts + 2: the last one's children are the roots
  std::vector<Index> child;
  std::vector<Offset> stack_below, stack;

  Index fronts() const { return static_cast<Index>(head.size()); }
  std::span<Index> children(Index f) {
    return {child.data() + child_ptr[usize(f)], child.data() + child_ptr[usize(f) + 1]};
  }
  std::span<Index> roots() { return children(fronts()); }
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
  const auto parent = [&](Index f) {
    const Index p = s.parent[usize(d.last[usize(f)])];
    return p == -1 ? d.fronts() : front_of[usize(p)];
  };
  d.child_ptr.assign(d.head.size() + 2, 0);
  for (Index f = 0; f < d.fronts(); ++f) ++d.child_ptr[usize(parent(f)) + 1];
  std::partial_sum(d.child_ptr.begin(), d.child_ptr.end(), d.child_ptr.begin());
  d.child.resize(d.head.size());
  std::vector<Index> place(d.child_ptr.begin(), d.child_ptr.end() - 1);
  for (Index f = 0; f < d.fronts(); ++f) d.child[usize(place[usize(parent(f))]++)] = f;
  return d;
}

// Every front after its parent.
std::vector<Index> preorder(Draft& d) {
  std::vector<Index> order(d.roots().begin(), d.roots().end());
  order.reserve(d.head.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto children = d.children(order[i]);
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
    const auto children = d.children(*it);
    const auto room = [&](Index c) { return d.stack[usize(c)] - leaves(c); };
    if (!std::ranges::is_sorted(children, std::ranges::greater{}, room))  // most are, or have no brother
      std::ranges::stable_sort(children, std::ranges::greater{}, room);
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
std::vector<Index> postorder(Draft& d) {
  std::vector<Index> order, path;
  std::vector<std::size_t> visited(d.head.size(), 0);
  order.reserve(d.head.size());
  for (Index root : d.roots()) {
    path.push_back(root);
    while (!path.empty()) {
      const Index f = path.back();
      if (visited[usize(f)] < d.children(f).size()) {
        path.push_back(d.children(f)[visited[usize(f)]++]);
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
    for (Index c : d.children(drafted)) {
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
