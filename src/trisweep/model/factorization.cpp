#include "trisweep/model/factorization.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "trisweep/distribution/front_owners.hpp"
#include "trisweep/model/answer.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/numeric/fronts.hpp"

namespace trisweep::model {
namespace {

using distribution::SharedFront;
using numeric::Arrowheads;
using numeric::Kind;

// Fitted for one core to systems in two and three dimensions (docs/validation.md).
constexpr double half_rate_width = 8;
constexpr double front_seconds = 0.2e-6;
constexpr double passes = 8;             // over a front: set to zero, added to, handed on
constexpr double entry_seconds = 20e-9;  // per entry of A: to scale and place it
constexpr double sent_seconds = 60e-9;   // more with several ranks: to send it to its front
constexpr double row_seconds = 10e-9;    // per row of the structure, read by each of several ranks

std::size_t place_of(std::span<const Index> ranks, Index rank) {
  return usize(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

class Factoring {
 public:
  Factoring(const FactorizationProblem& problem, Index ranks, const Machine& machine)
      : problem_(problem),
        s_(problem.structure),
        machine_(machine),
        tree_(numeric::build_front_tree(s_)),
        owners_(s_, ranks, problem.kind),
        line_(ranks, machine),
        bytes_(static_cast<Offset>(problem.value_bytes)),
        sides_(numeric::has_upper(problem.kind) ? 2 : 1) {
    const double parts = problem.complex ? 2 : 1, of_part = double(bytes_) / parts;
    flop_seconds_ = parts * parts * of_part / double(sizeof(double)) / machine.dgemm_flops;
    entry_pass_seconds_ = double(bytes_) * machine.workers / rank_bandwidth(machine, ranks);
  }

  // Visits the fronts in the order in which all ranks do.
  FactorizationPrice run() && {
    take_entries();
    take_places();
    const std::vector<char> whole = factor_subtrees();
    for (const Index f : owners_.order) {
      const auto shared = owners_.shared.find(f);
      if (shared != owners_.shared.end()) {
        share(f, shared->second);
      } else if (!whole[usize(f)]) {
        factor_front(f);
      }
    }
    if (line_.ranks() > 1) line_.wait_for_all();
    invert_cut_supernodes();
    const Offset common = common_bytes();
    return {.rank = std::move(line_).finish(), .common_bytes = common};
  }

 private:
  // With several ranks, each of them goes through the whole structure.
  void take_entries() {
    const bool several = line_.ranks() > 1;
    const double entries = double(problem_.nonzeros) / line_.ranks();
    const double rows = several ? double(s_.n) + double(s_.row.size()) : 0;
    const double seconds = (entry_seconds + (several ? sent_seconds : 0)) * entries + row_seconds * rows;
    for (Index r = 0; r < line_.ranks(); ++r) line_.compute(r, seconds);
  }

  // The positions of contribution blocks' rows in a front, on the rank that adds them; for shared fronts on
  // all ranks.
  void take_places() {
    std::vector<Offset> of_rank(usize(line_.ranks()), 0);
    Offset of_all = 0;
    for (Index f = 0; f < tree_.fronts(); ++f) {
      const Index parent = tree_.parent[usize(f)];
      if (parent == -1) continue;
      const Index r = owners_.of_front[usize(parent)];
      (r == -1 ? of_all : of_rank[usize(r)]) += tree_.height[usize(f)];
    }
    for (Index r = 0; r < line_.ranks(); ++r)
      line_[r].place_bytes = Offset{sizeof(Index)} * (of_rank[usize(r)] + of_all);
  }

  // The subtrees that one rank owns whole. Returns, by front, whether it belongs to one of them.
  std::vector<char> factor_subtrees() {
    struct Subtrees {
      double sum = 0, longest = 0;  // seconds
      Offset stack = 0;             // entries
    };
    std::vector<Subtrees> of_rank(usize(line_.ranks()));
    std::vector<char> whole(usize(tree_.fronts()));
    std::vector<double> path(whole.size(), 0);
    for (Index f = 0; f < tree_.fronts(); ++f) {
      const Index r = owners_.of_front[usize(f)];
      double longest = 0;
      whole[usize(f)] = r != -1;
      for (const Index c : tree_.children(f)) {
        whole[usize(f)] &= whole[usize(c)] && owners_.of_front[usize(c)] == r;
        longest = std::max(longest, path[usize(c)]);
      }
      if (!whole[usize(f)]) continue;
      const double seconds = eliminate(f, r);
      Subtrees& mine = of_rank[usize(r)];
      mine.sum += seconds;
      mine.longest = std::max(mine.longest, path[usize(f)] = longest + seconds);
    }
    for (Index f = 0; f < tree_.fronts(); ++f) {
      const Index parent = tree_.parent[usize(f)];
      if (!whole[usize(f)] || (parent != -1 && whole[usize(parent)])) continue;
      const Index r = owners_.of_front[usize(f)];
      line_.take(r, bytes_ * numeric::contribution_entries(tree_.height[usize(f)]));
      of_rank[usize(r)].stack = std::max(of_rank[usize(r)].stack, tree_.stack_below[usize(f)]);
    }
    for (Index r = 0; r < line_.ranks(); ++r) {
      const Subtrees& mine = of_rank[usize(r)];
      line_.compute(r, std::max(mine.sum / machine_.workers, mine.longest));
      line_.take(r, bytes_ * mine.stack);
      line_.take(r, -bytes_ * mine.stack);
    }
    return whole;
  }

  // Returns the seconds of one worker; adds flops and panels to the rank's.
  double eliminate(Index f, Index rank) {
    const double rows = double(tree_.width[usize(f)]) + tree_.height[usize(f)];
    double seconds = front_seconds + passes * entry_pass_seconds_ * rows * rows * double(sides_) / 2;
    for (const Index k : tree_.members(f)) {
      const Index w = s_.width(k);
      seconds += product_seconds(rank,
                                 numeric::factor_flops(w, s_.height(k), problem_.kind) +
                                     numeric::inversion_flops(w, s_.height(k), problem_.kind),
                                 w);
      take_panels(rank, w, s_.height(k));
    }
    return seconds;
  }
  double product_seconds(Index rank, double flops, Index width) {
    line_[rank].flops += flops;
    return flops * flop_seconds_ * (width + half_rate_width) / width;
  }
  void multiply(Index rank, double flops, Index width) {
    line_.compute(rank, product_seconds(rank, flops, width));
  }
  Offset panel_entries(Offset width, Offset rows) const { return width * (width + sides_ * rows); }
  void take_panels(Index rank, Index width, Index height) {
    const Offset bytes = bytes_ * panel_entries(width, height);
    line_[rank].panel_bytes += bytes;
    line_.take(rank, bytes);
  }

  // The arrowheads of a front's contribution block, with their owners.
  Arrowheads contribution(Index f) const { return owners_.contribution(f, tree_.height[usize(f)]); }
  Offset entries(const Arrowheads& all, Index a) const {
    return panel_entries(all.width(a), all.rows() - all.begin[usize(a) + 1]);
  }
  void free_contribution(Index f) {
    const Arrowheads block = contribution(f);
    const bool is_shared = owners_.shared.contains(f);
    for (Index a = 0; a < block.count(); ++a) {
      line_.take(block.owner[usize(a)],
                 -bytes_ * (is_shared ? entries(block, a) : numeric::contribution_entries(block.rows())));
    }
  }
  // Agreement of the ranks that own parts of the children's contribution blocks, and of `others`.
  void agree(std::span<const Index> children, std::vector<Index> others) {
    for (const Index c : children) std::ranges::copy(contribution(c).owners(), std::back_inserter(others));
    line_.agree(numeric::distinct(std::move(others)));
  }

  // A front of one rank with contributions of others (RankFactorization::pass).
  void factor_front(Index f) {
    const Index r = owners_.of_front[usize(f)];
    for (const std::span<const Index> group : distribution::groups(tree_.children(f), tree_.height))
      pass(group, r);
    line_.take(r, bytes_ * numeric::contribution_entries(tree_.height[usize(f)]));
    line_.compute(r, eliminate(f, r));
    for (const Index c : tree_.children(f)) {
      if (owners_.of_front[usize(c)] == r) {
        free_contribution(c);
      } else {
        line_.take(r, -square_bytes(c));
      }
    }
  }
  void pass(std::span<const Index> children, Index to) {
    constexpr Offset header_bytes = 24;
    std::map<Index, std::vector<Index>> by_rank;
    for (const Index& c : children) {
      const Index from = owners_.of_front[usize(c)];
      if (from == -1) {
        agree({&c, 1}, {to});
        move({&c, 1}, to);
      } else if (from != to) {
        by_rank[from].push_back(c);
      }
    }
    for (const auto& [from, of_rank] : by_rank) {
      line_.send(from, to, header_bytes * std::ssize(of_rank));
      move(of_rank, to);
    }
  }
  void move(std::span<const Index> children, Index to) {
    for (const Index c : children) line_.take(to, square_bytes(c));
    add(children, {to}, [&](Index c) { return std::vector<Index>(usize(tree_.height[usize(c)]), to); });
    for (const Index c : children) free_contribution(c);
  }
  Offset square_bytes(Index f) const { return bytes_ * tree_.height[usize(f)] * tree_.height[usize(f)]; }

  // (RankFactorization::share)
  void share(Index f, const SharedFront& front) {
    const Arrowheads& all = front.arrowheads;
    agree(tree_.children(f), all.owners());
    for (Index a = 0; a < all.count(); ++a) {
      const Index r = all.owner[usize(a)];
      if (is_in_factors(front, a)) {
        take_panels(r, all.width(a), all.rows() - all.begin[usize(a) + 1]);
      } else {
        line_.take(r, bytes_ * entries(all, a));
      }
    }
    for (const std::span<const Index> group : distribution::groups(tree_.children(f), tree_.height)) {
      add(group, all.owners(), [&](Index c) { return ranks_of_rows(c, f, all); });
      for (const Index c : group) free_contribution(c);
    }
    eliminate_together(front);
    bring_together(front);
  }
  bool is_cut(const SharedFront& front, Index a) const {
    return front.arrowheads.width(a) < s_.width(front.supernode[usize(a)]);
  }
  bool is_in_factors(const SharedFront& front, Index a) const {
    return a < front.eliminated() && !is_cut(front, a);
  }

  // By row of a child's contribution: the owner of the arrowhead that the row is added to.
  std::vector<Index> ranks_of_rows(Index child, Index f, const Arrowheads& all) const {
    const Index last = tree_.members(f).back();
    const auto rows = s_.rows(tree_.members(child).back()), beyond = s_.rows(last);
    std::vector<Index> ranks;
    Index place = 0;
    for (const Index row : rows) {
      if (row < s_.first[usize(last) + 1]) {
        ranks.push_back(owners_.of_column[usize(row)]);
        continue;
      }
      while (beyond[usize(place)] != row) ++place;
      ranks.push_back(all.owner[usize(all.of(tree_.width[usize(f)] + place))]);
    }
    return ranks;
  }

  // For each child, entries with min(row, column) = j go from the owner of j to target(child)[j], one of
  // `to`; pairs of ranks follow in the order of solve::add_arrowheads().
  template <class Target>
  void add(std::span<const Index> children, const std::vector<Index>& to, const Target& target) {
    std::vector<Index> from;
    for (const Index c : children) std::ranges::copy(contribution(c).owner, std::back_inserter(from));
    from = numeric::distinct(std::move(from));
    std::vector<Offset> moved(from.size() * to.size(), 0);
    for (const Index c : children) {
      const Arrowheads block = contribution(c);
      const std::vector<Index> target_of_row = target(c);
      for (Index j = 0; j < block.rows(); ++j) {
        const Offset below = block.rows() - j - 1;
        const std::size_t source = place_of(from, block.owner[usize(block.of(j))]);
        moved[source * to.size() + place_of(to, target_of_row[usize(j)])] += 1 + sides_ * below;
      }
    }
    for (std::size_t shift = 0; shift < to.size(); ++shift) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t t = (i + shift) % to.size();
        add(from[i], to[t], moved[i * to.size() + t]);
      }
    }
  }
  void add(Index from, Index to, Offset entries) {
    if (entries == 0) return;
    for (Offset left = from == to ? 0 : entries; left > 0; left -= distribution::entries_at_once)
      line_.send(from, to, bytes_ * std::min(left, distribution::entries_at_once));
    line_.compute(to, machine_.adding_seconds(double(bytes_ * entries)));
  }

  // (SharedElimination::eliminate)
  void eliminate_together(const SharedFront& front) {
    const Arrowheads& all = front.arrowheads;
    const std::vector<Index> ranks = all.owners();
    const Offset sides_sent = problem_.kind == Kind::cholesky ? 1 : 2;
    const double sides = double(sides_);
    std::vector<double> to_update(ranks.size(), 0);  // entries of the arrowheads not yet eliminated
    const auto square = [](double rows) { return rows * rows; };
    const auto update_of = [&](Index a) {
      return square(all.rows() - all.begin[usize(a)]) - square(all.rows() - all.begin[usize(a) + 1]);
    };
    for (Index a = 0; a < all.count(); ++a) to_update[place_of(ranks, all.owner[usize(a)])] += update_of(a);
    const Offset message = bytes_ * (sides_sent * all.width(0) * (all.rows() - all.begin[1]) + 1);
    for (const Index r : ranks) line_.take(r, message);
    for (Index a = 0; a < front.eliminated(); ++a) {
      const Index w = all.width(a), below = all.rows() - all.begin[usize(a) + 1], r = all.owner[usize(a)];
      const std::size_t root = place_of(ranks, r);
      const double update = sides * w * square(below);
      multiply(r, numeric::factor_flops(w, below, problem_.kind) - update, w);
      line_.broadcast(ranks, root, bytes_ * (sides_sent * w * below + 1));
      to_update[root] -= update_of(a);
      for (std::size_t i = 0; i < ranks.size(); ++i) multiply(ranks[i], sides * w * to_update[i], w);
      if (!is_cut(front, a)) multiply(r, numeric::inversion_flops(w, below, problem_.kind), w);
    }
    for (const Index r : ranks) line_.take(r, -message);
  }

  // Supernodes that were cut into several arrowheads go to the ranks that keep them, with their interchanges
  // for LU.
  void bring_together(const SharedFront& front) {
    const Arrowheads& all = front.arrowheads;
    for (Index a = 0; a < front.eliminated(); ++a) {
      if (!is_cut(front, a)) continue;
      const Index k = front.supernode[usize(a)], keeper = owners_.of_supernode[usize(k)];
      const Index r = all.owner[usize(a)];
      if (a == 0 || front.supernode[usize(a) - 1] != k) {
        take_panels(keeper, s_.width(k), s_.height(k));
        cut_.push_back(k);
      }
      const Offset bytes = bytes_ * entries(all, a);
      if (r == keeper) continue;
      line_.send(r, keeper, bytes);
      if (problem_.kind == Kind::lu) line_.send(r, keeper, all.width(a) * Offset{sizeof(Index)});
      line_.take(keeper, bytes);
      line_.take(keeper, -bytes);
    }
    for (Index a = 0; a < front.eliminated(); ++a) {
      if (is_cut(front, a)) line_.take(all.owner[usize(a)], -bytes_ * entries(all, a));
    }
  }

  // When all fronts are done.
  void invert_cut_supernodes() {
    for (const Index k : cut_) {
      const Index keeper = owners_.of_supernode[usize(k)], w = s_.width(k);
      line_.take(keeper, bytes_ * w * w);
      multiply(keeper, numeric::inversion_flops(w, s_.height(k), problem_.kind), w);
      line_.take(keeper, -bytes_ * w * w);
    }
  }

  // What solve::FrontsFactorizer holds. Per unknown: its new row and column, their scales, its supernode, its
  // owner, and where its row of A begins. Per row of the structure: its index. Per supernode and front: the
  // lists of Structure, Factors, Fronts and FrontTree.
  Offset common_bytes() const {
    constexpr Offset unknown = 4 * sizeof(Index) + 2 * sizeof(double) + sizeof(Offset);
    constexpr Offset supernode = 5 * sizeof(Index) + 7 * sizeof(Offset),
                     front = 96 + sizeof(numeric::FrontRecord);
    const Offset entry = bytes_ + Offset{sizeof(Index) + sizeof(numeric::MatrixEntry)};
    return unknown * s_.n + Offset{sizeof(Index)} * std::ssize(s_.row) +
           Offset{sizeof(symbolic::Block)} * std::ssize(s_.block) + supernode * s_.supernodes() +
           front * tree_.fronts() + entry * problem_.nonzeros / line_.ranks();
  }

  const FactorizationProblem& problem_;
  const symbolic::Structure& s_;
  const Machine& machine_;
  const numeric::FrontTree tree_;
  const distribution::FrontOwners owners_;
  RankTimelines line_;
  Offset bytes_;               // of a value
  Offset sides_;               // stored sides of panels: L alone, or L and U
  double flop_seconds_;        // at the full rate
  double entry_pass_seconds_;  // one pass over an entry in memory
  std::vector<Index> cut_;     // supernodes
};

}  // namespace

FactorizationPrice price_factorization(const FactorizationProblem& problem, Index ranks,
                                       const Machine& machine) {
  return Factoring(problem, ranks, machine).run();
}

}  // namespace trisweep::model
