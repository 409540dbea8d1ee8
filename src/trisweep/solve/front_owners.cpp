// (Pothen and Sun, A mapping algorithm for parallel sparse Cholesky factorization, SIAM J. Sci. Comput. 14
// (1993).)

#include "trisweep/solve/front_owners.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::solve {
namespace {

// Of the factors. What fronts take of memory is like that, and what limits ranks is memory.
std::vector<double> entries_of_fronts(const numeric::FrontTree& tree, const symbolic::Structure& s) {
  std::vector<double> entries(usize(tree.fronts()), 0);
  for (Index f = 0; f < tree.fronts(); ++f) {
    for (const Index k : tree.members(f))
      entries[usize(f)] += double(s.width(k)) * (s.width(k) + 2.0 * s.height(k));
  }
  return entries;
}

// Ranks on a line, each as long as 1: in proportion to its entries each subtree has a part of its parent's.
class Line {
 public:
  Line(const numeric::FrontTree& tree, const std::vector<double>& entries, Index ranks)
      : tree_(tree), last_(ranks - 1), below_(entries), begin_(entries.size()), end_(entries.size()) {
    std::vector<Index> roots;
    for (Index f = 0; f < tree.fronts(); ++f) {
      if (const Index parent = tree.parent[usize(f)]; parent != -1) {
        below_[usize(parent)] += below_[usize(f)];
      } else {
        roots.push_back(f);
      }
    }
    divide(roots, 0, ranks);
    for (Index f = tree.fronts() - 1; f >= 0; --f) divide(tree.children(f), begin_[usize(f)], end_[usize(f)]);
  }

  struct Ranks {
    Index first, last;  // inclusive
  };
  // Of a front's subtree. What is far shorter than a rank stays together.
  Ranks ranks(Index f) const {
    constexpr double short_part = 1.0 / 8;
    const double begin = begin_[usize(f)], end = end_[usize(f)];
    const Index middle = std::min(static_cast<Index>((begin + end) / 2), last_);
    if (end - begin <= short_part) return {middle, middle};
    return {static_cast<Index>(begin), static_cast<Index>(std::ceil(end)) - 1};
  }

 private:
  void divide(std::span<const Index> fronts, double begin, double end) {
    double all = 0, passed = 0;
    for (const Index f : fronts) all += below_[usize(f)];
    double at = begin;
    for (const Index f : fronts) {
      passed += below_[usize(f)];
      begin_[usize(f)] = at;
      const bool is_last = f == fronts.back() || all == 0;
      at = is_last ? end : std::clamp(between_ranks(begin + (end - begin) * passed / all), begin, end);
      end_[usize(f)] = at;
    }
  }
  // Not within a rank where that is near its end.
  static double between_ranks(double at) {
    constexpr double near = 1.0 / 16;
    return std::abs(at - std::round(at)) <= near ? std::round(at) : at;
  }

  const numeric::FrontTree& tree_;
  Index last_;                 // rank
  std::vector<double> below_;  // entries of each front's subtree
  std::vector<double> begin_, end_;
};

// Whole subtrees to the rank that they are on, and from the lowest on each front above them to the one of its
// ranks that has least so far.
std::vector<Index> owners_of_fronts(const numeric::FrontTree& tree, const std::vector<double>& entries,
                                    Index ranks) {
  const Line line(tree, entries, ranks);
  std::vector<Index> owner(entries.size(), -1);
  std::vector<double> load(usize(ranks), 0);
  for (Index f = tree.fronts() - 1; f >= 0; --f) {
    const Index parent = tree.parent[usize(f)];
    const auto on = line.ranks(f);
    Index& mine = owner[usize(f)];
    if (parent != -1) mine = owner[usize(parent)];
    if (mine == -1 && on.first == on.last) mine = on.first;
    if (mine != -1) load[usize(mine)] += entries[usize(f)];
  }
  for (Index f = 0; f < tree.fronts(); ++f) {
    if (owner[usize(f)] != -1) continue;
    const auto on = line.ranks(f);
    const auto least = std::min_element(load.begin() + on.first, load.begin() + on.last + 1);
    *least += entries[usize(f)];
    owner[usize(f)] = static_cast<Index>(least - load.begin());
  }
  return owner;
}

}  // namespace

FrontOwners::FrontOwners(const symbolic::Structure& s, Index ranks) {
  const numeric::FrontTree tree = numeric::build_front_tree(s);
  of_front = owners_of_fronts(tree, entries_of_fronts(tree, s), ranks);
  of_supernode.resize(usize(s.supernodes()));
  for (Index f = 0; f < tree.fronts(); ++f) {
    for (const Index k : tree.members(f)) of_supernode[usize(k)] = of_front[usize(f)];
  }
}

std::vector<char> are_of(std::span<const Index> owner, Index rank) {
  std::vector<char> own(owner.size());
  std::ranges::transform(owner, own.begin(), [&](Index of) { return of == rank; });
  return own;
}

}  // namespace trisweep::solve
