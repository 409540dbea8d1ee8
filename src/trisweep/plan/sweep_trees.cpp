#include <algorithm>

#include "trisweep/plan/applied_panels.hpp"

namespace trisweep::plan {
namespace {

// Members being collected: per supernode the owner first, then each rank when it is first met. A list per
// supernode, all in one array.
class Collector {
 public:
  explicit Collector(Index supernodes) : first_(usize(supernodes), none), last_(usize(supernodes), none) {}

  void add(Index k, RankId rank) {
    for (Index at = first_[usize(k)]; at != none; at = member_[usize(at)].next)
      if (member_[usize(at)].rank == rank) return;
    const auto added = static_cast<Index>(member_.size());
    (first_[usize(k)] == none ? first_[usize(k)] : member_[usize(last_[usize(k)])].next) = added;
    last_[usize(k)] = added;
    member_.push_back({rank, none});
  }

  Members take() && {
    Members members;
    members.ptr.reserve(first_.size() + 1);
    members.rank.reserve(member_.size());
    members.ptr.push_back(0);
    for (Index at : first_) {
      for (; at != none; at = member_[usize(at)].next) members.rank.push_back(member_[usize(at)].rank);
      members.ptr.push_back(static_cast<Offset>(members.rank.size()));
    }
    return members;
  }

 private:
  static constexpr Index none = -1;
  struct Member {
    RankId rank;
    Index next;
  };
  std::vector<Index> first_;  // supernodes, into member_
  std::vector<Index> last_;   // supernodes, into member_
  std::vector<Member> member_;
};

// Adds all ranks of a layer that may have a block in one row or column of a side: the owner first, then the
// others in cyclic order, as MPI libraries number them from the root of a collective. `owner_at(other)` is
// the rank with the block where this line meets line `other`.
template <class OwnerAt>
void add_line(Collector& members, Index k, RankId owner, std::span<const Index> others, OwnerAt&& owner_at) {
  std::vector<RankId> line;
  for (const Index other : others) line.push_back(RankId(owner_at(other)));
  std::sort(line.begin(), line.end());
  std::rotate(line.begin(), std::lower_bound(line.begin(), line.end(), owner), line.end());
  members.add(k, owner);
  for (const RankId rank : line) members.add(k, rank);
}

// The members of `spec`'s collectives: all ranks of the process row or column, for each panel that it applies
// and each row that it gathers or scatters.
SweepTrees collective_trees(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                            Index layer, const SweepSpec& spec) {
  std::vector<Index> held, in_turn;
  for (Index k = 0; k < structure.supernodes(); ++k) {
    if (!mapping.layers_of(k).contains(layer)) continue;
    held.push_back(k);
    if (spec.within.contains(k) && (spec.panels.contains(k) || (spec.rows && spec.rows->contains(k))))
      in_turn.push_back(k);
  }
  Collector by_panel(structure.supernodes()), by_row(structure.supernodes());
  std::vector<char> applies(usize(structure.supernodes()));
  for (const Index k : in_turn) {
    applies[usize(k)] = spec.panels.contains(k);
    const RankId owner(mapping.diagonal_owner(layer, k));
    if (spec.panels.contains(k))
      add_line(by_panel, k, owner, held, [&](Index i) { return mapping.owner(layer, spec.side, i, k); });
    if (spec.brings(k))
      add_line(by_row, k, owner, held, [&](Index j) { return mapping.owner(layer, spec.side, k, j); });
  }
  if (spec.direction == Direction::scatter)
    return {std::move(by_panel).take(), std::move(by_row).take(), std::move(in_turn), std::move(applies)};
  std::reverse(in_turn.begin(), in_turn.end());
  return {std::move(by_row).take(), std::move(by_panel).take(), std::move(in_turn), std::move(applies)};
}

}  // namespace

SweepTrees sweep_trees(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                       Index layer, const SweepSpec& spec) {
  if (spec.idle()) return {};
  if (spec.collectives) return collective_trees(structure, mapping, layer, spec);
  const Index supernodes = structure.supernodes();
  const AppliedPanels applied(structure, mapping, layer, spec);
  std::vector<char> applies(usize(supernodes));
  for (Index k = 0; k < supernodes; ++k) applies[usize(k)] = applied.contains(k);
  if (mapping.ranks() == 1 && !spec.rows) {
    const Members alone{.ptr = {}, .rank = {RankId(0)}};
    return {alone, alone, {}, std::move(applies)};
  }
  Collector by_panel(supernodes), by_row(supernodes);
  for (Index k = 0; k < supernodes; ++k) {
    if (!applied.concerns(k)) continue;
    const RankId owner(mapping.diagonal_owner(layer, k));
    by_panel.add(k, owner);
    if (spec.brings(k)) by_row.add(k, owner);
  }
  // In this order each row I meets first the panels of the separators just below its own, on both sides, and
  // among them the largest K; each panel K meets the smallest I first. Both are the orders wanted near the
  // roots, in the scatter and in the gather direction: the path goes through the upper separators.
  applied.for_each_block([&](const AppliedBlock& block) {
    by_panel.add(block.supernode, block.rank);
    if (spec.brings(block.row_supernode)) by_row.add(block.row_supernode, block.rank);
  });
  if (spec.direction == Direction::scatter)
    return {std::move(by_panel).take(), std::move(by_row).take(), {}, std::move(applies)};
  return {std::move(by_row).take(), std::move(by_panel).take(), {}, std::move(applies)};
}

}  // namespace trisweep::plan
