#include "trisweep/plan/sweep.hpp"

#include <algorithm>
#include <tuple>

#include "trisweep/plan/sweep_tasks.hpp"

namespace trisweep::plan {
namespace {

using distribution::Share;
using symbolic::Structure;

// The second half: the segments' parts in their trees, and everything listed by segment.
class Builder : private SweepTasks {
 public:
  Builder(const Structure& structure, const Share& share, const SweepTrees& trees, const SweepSpec& spec,
          const Accumulation& accumulation)
      : SweepTasks(structure, share, trees, spec, accumulation) {}

  SweepPhase build() && {
    make_tasks();
    for (Index s = 0; s < share_.segments(); ++s) join_trees(s);
    take_turns();
    number_messages();
    list_consumers();
    list_cells();
    return std::move(phase_);
  }

 private:
  // Position of this rank among `members`, or -1.
  Index position(std::span<const Index> members) const {
    const auto at = std::find(members.begin(), members.end(), share_.rank);
    return at == members.end() ? -1 : static_cast<Index>(at - members.begin());
  }

  void join_trees(Index s) {
    if (interior_[usize(s)] && divided_[usize(s)] && phase_.segment[usize(s)].pending == 0)
      phase_.complete.push_back(s);
    if (interior_[usize(s)] || !takes_part(s)) return;
    const bool owned = share_.owned[usize(s)] != 0;
    const bool adds = join_reduction(target(s)), reads = join_broadcast(s);
    Segment& sum = phase_.segment[usize(target(s))];
    if (starts_at_zero(s, adds)) phase_.cleared.push_back(target(s));
    if (adds && reads && !owned && !is_product()) sum.sent_from = new_rows(sum.width);
    if (owned && adds && is_product()) phase_.replaced.push_back({share_.slot[usize(s)], sum.row, sum.width});
    if (owned && phase_.segment[usize(s)].pending == 0) phase_.complete.push_back(s);
  }

  // Partial sums of others' segments, the first time that something is added to them.
  bool starts_at_zero(Index s, bool adds) const {
    if (is_product()) return adds;
    const bool stays = scatters() && !spec_.brings(share_.segment[usize(s)]);
    return !share_.owned[usize(s)] && !spec_.continues && (adds || stays);
  }

  // What this rank takes part in one after another, among that what it only helps to pass on.
  void take_turns() {
    Index before = -1;
    for (const Index k : trees_.in_turn) {
      if (position(trees_.reduction.of(k)) < 0 && position(trees_.broadcast.of(k)) < 0) continue;
      const Index s = place_in_turn(k);
      Segment& segment = phase_.segment[usize(s)];
      const bool first = before < 0;
      if (!first) phase_.segment[usize(before)].next = s;
      before = s;
      if (segment.pending == 0) std::erase(phase_.complete, s);
      segment.pending += first ? 0 : 1;
      segment.counts_final = position(trees_.reduction.of(k)) < 0 && position(trees_.broadcast.of(k)) > 0;
      segment.pending += segment.counts_final ? 1 : 0;
      if (segment.pending == 0) phase_.complete.push_back(s);
    }
  }

  // The segment of the phase for supernode k, which the share may not have.
  Index place_in_turn(Index k) {
    if (const Index s = share_.local(k); s >= 0) return s;
    const auto s = static_cast<Index>(phase_.segment.size());
    const Index width = structure_.width(k);
    phase_.segment.push_back({.row = new_rows(width), .width = width, .supernode = k});
    if (join_reduction(s)) phase_.cleared.push_back(s);
    join_broadcast(s);
    return s;
  }

  // Both take a segment of the phase.
  bool join_reduction(Index s) {
    Segment& segment = phase_.segment[usize(s)];
    const auto members = trees_.reduction.of(segment.supernode);
    const Index at = position(members);
    if (at < 0) return false;
    const auto [parent, first, last] = spec_.tree(at, static_cast<Index>(members.size()));
    segment.pending += last - first;
    for (Index c = first; c < last; ++c)
      phase_.incoming.push_back({s, members[usize(c)], MessageKind::reduction});
    if (parent >= 0) phase_.outgoing.push_back({s, members[usize(parent)], MessageKind::reduction});
    return true;
  }

  bool join_broadcast(Index s) {
    const auto members = trees_.broadcast.of(phase_.segment[usize(s)].supernode);
    const Index at = position(members);
    if (at < 0) return false;
    const auto [parent, first, last] = spec_.tree(at, static_cast<Index>(members.size()));
    for (Index c = first; c < last; ++c)
      phase_.outgoing.push_back({s, members[usize(c)], MessageKind::broadcast});
    if (parent >= 0) phase_.incoming.push_back({s, members[usize(parent)], MessageKind::broadcast});
    return true;
  }

  // By supernode and kind, which no two messages between the same two ranks have in common: so both of them
  // list these in the same order.
  void number_messages() {
    const auto supernode = [&](const auto& m) { return phase_.segment[usize(m.segment)].supernode; };
    std::ranges::sort(phase_.incoming, {},
                      [&](const Incoming& m) { return std::tuple(supernode(m), m.kind, m.from); });
    std::ranges::stable_sort(phase_.outgoing, {},
                             [&](const Outgoing& m) { return std::pair(supernode(m), m.kind); });
    for (Index number = 0; number < static_cast<Index>(phase_.outgoing.size()); ++number) {
      const Outgoing& message = phase_.outgoing[usize(number)];
      Segment& segment = phase_.segment[usize(message.segment)];
      if (message.kind == MessageKind::reduction) {
        segment.parent = number;
      } else {
        if (segment.child_begin == segment.child_end) segment.child_begin = number;
        segment.child_end = number + 1;
      }
    }
    if (!ordered()) return;
    for (Incoming& message : phase_.incoming) {
      if (message.kind == MessageKind::reduction) message.cell = new_cell(message.segment);
    }
  }

  void list_consumers() {
    std::sort(reads_.begin(), reads_.end());
    auto read = reads_.begin();
    for (Index s = 0; s < static_cast<Index>(phase_.segment.size()); ++s) {
      Segment& segment = phase_.segment[usize(s)];
      segment.consumer_begin = static_cast<Index>(phase_.consumer.size());
      for (; read != reads_.end() && read->first == s; ++read) phase_.consumer.push_back(read->second);
      segment.consumer_end = static_cast<Index>(phase_.consumer.size());
    }
  }

  void list_cells() {
    phase_.extra_rows = next_row_ - share_.work_rows();
    std::stable_sort(cells_.begin(), cells_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    auto cell = cells_.begin();
    for (Index s = 0; s < static_cast<Index>(phase_.segment.size()); ++s) {
      Segment& segment = phase_.segment[usize(s)];
      segment.cell_begin = static_cast<Index>(phase_.cell.size());
      for (; cell != cells_.end() && cell->first == s; ++cell) phase_.cell.push_back(cell->second);
      segment.cell_end = static_cast<Index>(phase_.cell.size());
    }
  }
};

}  // namespace

SweepPhase make_sweep(const Structure& structure, const Share& share, const SweepTrees& trees,
                      const SweepSpec& spec, const Accumulation& accumulation) {
  if (spec.idle()) return {.side = spec.side, .direction = spec.direction};
  return Builder(structure, share, trees, spec, accumulation).build();
}

}  // namespace trisweep::plan
