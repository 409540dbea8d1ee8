// Proportional mapping (Pothen and Sun, A mapping algorithm for parallel sparse Cholesky factorization, SIAM
// J. Sci. Comput. 14 (1993)).

#include "trisweep/distribution/front_owners.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::distribution {
namespace {

// Entries of the factors: about proportional to the memory of fronts, and memory is what limits ranks.
double entries_of(const symbolic::Structure& s, Index supernode) {
  return double(s.width(supernode)) * (s.width(supernode) + 2.0 * s.height(supernode));
}
std::vector<double> entries_of_fronts(const numeric::FrontTree& tree, const symbolic::Structure& s) {
  std::vector<double> entries(usize(tree.fronts()), 0);
  for (Index f = 0; f < tree.fronts(); ++f) {
    for (const Index k : tree.members(f)) entries[usize(f)] += entries_of(s, k);
  }
  return entries;
}

// Ranks on a line, each of length 1. Each subtree has a part of its parent's interval, in proportion to its
// entries.
class Line {
 public:
  Line(const numeric::FrontTree& tree, const std::vector<double>& entries, Index ranks)
      : last_(ranks - 1), below_(entries), begin_(entries.size()), end_(entries.size()) {
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
  // Ranks of a front's subtree. A subtree far shorter than a rank stays on one.
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
  // Moves a boundary that is near the end of a rank to that end.
  static double between_ranks(double at) {
    constexpr double near = 1.0 / 16;
    return std::abs(at - std::round(at)) <= near ? std::round(at) : at;
  }

  Index last_;                 // last rank
  std::vector<double> below_;  // entries of each front's subtree
  std::vector<double> begin_, end_;
};

// Most columns of an arrowhead: the usual width of a supernode. Wider supernodes are kept whole, but cut into
// arrowheads while they are eliminated.
constexpr Index arrowhead_width = 128;
// Fewest rows of a front per rank that shares it.
constexpr Index rows_of_rank = 128;

// Adds arrowheads of about equal widths.
void cut(Index width, numeric::Arrowheads& arrowheads) {
  const Index count = (width + arrowhead_width - 1) / arrowhead_width, begin = arrowheads.rows();
  for (Index i = 1; i <= count; ++i)
    arrowheads.begin.push_back(begin + static_cast<Index>(Offset{width} * i / count));
}

// Assigns arrowheads to ranks in turns, alternately forward and backward, since the first ones are the
// largest; starts with rank `begin`.
void deal(Line::Ranks ranks, Index begin, numeric::Arrowheads& arrowheads) {
  const Index count = ranks.last - ranks.first + 1;
  const auto all = static_cast<Index>(arrowheads.begin.size()) - 1;
  for (Index a = 0; a < all; ++a) {
    const Index turn = a / count, place = turn % 2 == 0 ? a % count : count - 1 - a % count;
    arrowheads.owner.push_back(ranks.first + (begin - ranks.first + place) % count);
  }
}

class Owners {
 public:
  Owners(const symbolic::Structure& s, Index ranks, std::optional<numeric::Kind> kind)
      : s_(s),
        kind_(kind),
        tree_(numeric::build_front_tree(s)),
        entries_(entries_of_fronts(tree_, s)),
        line_(tree_, entries_, ranks),
        load_(usize(ranks), 0) {}

  void find(FrontOwners& owners) {
    owners.of_front.assign(entries_.size(), -1);
    owners.of_supernode.assign(usize(s_.supernodes()), -1);
    owners.of_column.assign(usize(s_.n), -1);
    owners.order.resize(entries_.size());
    std::iota(owners.order.begin(), owners.order.end(), 0);
    std::ranges::stable_sort(owners.order, std::ranges::greater{},
                             [&](Index f) { return tree_.depth[usize(f)]; });
    keep_subtrees_whole(owners.of_front);
    for (Index f = tree_.fronts() - 1; f >= 0; --f) {  // the largest first: others even out the load
      const Line::Ranks ranks = sharers(f);
      if (owners.of_front[usize(f)] == -1 && ranks.first < ranks.last) {
        share(f, ranks, owners);
      } else {
        keep(f, owners);
      }
    }
  }

 private:
  // From the roots down: a subtree that lies on one rank belongs to it.
  void keep_subtrees_whole(std::vector<Index>& of_front) {
    for (Index f = tree_.fronts() - 1; f >= 0; --f) {
      const Index parent = tree_.parent[usize(f)];
      const auto on = line_.ranks(f);
      Index& mine = of_front[usize(f)];
      if (parent != -1) mine = of_front[usize(parent)];
      if (mine == -1 && on.first == on.last) mine = on.first;
      if (mine != -1) load_[usize(mine)] += entries_[usize(f)];
    }
  }

  // The ranks that share front f. Symmetric indefinite fronts are not cut within a supernode, since pivots of
  // order 2 would be cut.
  Line::Ranks sharers(Index f) const {
    Line::Ranks on = line_.ranks(f);
    const auto is_wide = [&](Index k) { return s_.width(k) > arrowhead_width; };
    const bool is_cut = std::ranges::any_of(tree_.members(f), is_wide);
    const bool can_be_cut = kind_ == numeric::Kind::lu || kind_ == numeric::Kind::cholesky;
    const Index rows = tree_.width[usize(f)] + tree_.height[usize(f)];
    const Index most = kind_ && (!is_cut || can_be_cut) ? std::max(rows / rows_of_rank, Index{1}) : 1;
    if (on.last - on.first >= most) {
      on.first = std::min(least_of(on), on.last - most + 1);
      on.last = on.first + most - 1;
    }
    return on;
  }

  void share(Index f, Line::Ranks ranks, FrontOwners& owners) {
    SharedFront& front = owners.shared[f];
    numeric::Arrowheads& arrowheads = front.arrowheads;
    for (const Index k : tree_.members(f)) {
      cut(s_.width(k), arrowheads);
      front.supernode.resize(arrowheads.begin.size() - 1, k);
    }
    cut(tree_.height[usize(f)], arrowheads);
    deal(ranks, least_of(ranks), arrowheads);
    for (Index a = 0; a < front.eliminated(); ++a) {
      const Index k = front.supernode[usize(a)], owner = arrowheads.owner[usize(a)];
      const bool is_part = arrowheads.width(a) < s_.width(k);
      Index& keeper = owners.of_supernode[usize(k)];
      if (keeper != -1) continue;
      keeper = is_part ? least_of(ranks) : owner;
      load_[usize(keeper)] += entries_of(s_, k);
    }
    Index position = 0;
    for (const Index k : tree_.members(f)) {
      for (Index j = s_.first[usize(k)]; j < s_.first[usize(k) + 1]; ++j)
        owners.of_column[usize(j)] = arrowheads.owner[usize(arrowheads.of(position++))];
    }
  }

  void keep(Index f, FrontOwners& owners) {
    Index& owner = owners.of_front[usize(f)];
    if (owner == -1) {
      owner = least_of(line_.ranks(f));
      load_[usize(owner)] += entries_[usize(f)];
    }
    for (const Index k : tree_.members(f)) {
      owners.of_supernode[usize(k)] = owner;
      std::fill_n(owners.of_column.begin() + s_.first[usize(k)], s_.width(k), owner);
    }
  }

  Index least_of(Line::Ranks on) const {
    const auto least = std::min_element(load_.begin() + on.first, load_.begin() + on.last + 1);
    return static_cast<Index>(least - load_.begin());
  }

  const symbolic::Structure& s_;
  std::optional<numeric::Kind> kind_;
  numeric::FrontTree tree_;
  std::vector<double> entries_;
  Line line_;
  std::vector<double> load_;
};

}  // namespace

std::vector<std::span<const Index>> groups(std::span<const Index> children, std::span<const Index> height) {
  constexpr Offset least = 4;  // fewest entries counted per child: the rest of its message
  std::vector<std::span<const Index>> all;
  Offset entries = 0;
  for (std::size_t begin = 0, end = 0; end < children.size();) {
    const Offset rows = height[usize(children[end++])];
    entries += std::max(rows * rows, least);
    if (entries < entries_at_once && end < children.size()) continue;
    all.push_back(children.subspan(begin, end - begin));
    begin = end;
    entries = 0;
  }
  return all;
}

FrontOwners::FrontOwners(const symbolic::Structure& s, Index ranks, std::optional<numeric::Kind> kind) {
  Owners(s, ranks, kind).find(*this);
}

// The ranks of a shared front's children take part in its assembly, too.
std::vector<char> FrontOwners::assembled_by(Index rank) const {
  std::vector<char> assembled = are_of(of_front, rank);
  for (const auto& [front, shared_front] : shared) assembled[usize(front)] = 1;
  return assembled;
}

numeric::Arrowheads FrontOwners::contribution(Index f, Index height) const {
  const auto found = shared.find(f);
  if (found != shared.end()) return found->second.contribution();
  return {.begin = {0, height}, .owner = {of_front[usize(f)]}};
}

std::vector<char> are_of(std::span<const Index> owner, Index rank) {
  std::vector<char> own(owner.size());
  std::ranges::transform(owner, own.begin(), [&](Index of) { return of == rank; });
  return own;
}

}  // namespace trisweep::distribution
