#include <algorithm>

#include "trisweep/plan/sweep_stages.hpp"

namespace trisweep::plan {
namespace {

class TreeParts {
 public:
  TreeParts(const RankSweep& sweep, SweepTasks& tasks)
      : sweep_(sweep),
        local_blocks_(sweep.local_blocks),
        joined_{.segment = std::move(tasks.segment), .rows = tasks.rows} {}

  // The root of an interior subtree that other tasks wait for is complete at once if nothing contributes to
  // it.
  void start_subtree(SegmentId s) {
    if (joined_.segment[s].pending == 0) joined_.complete.push_back(s);
  }

  void join(SegmentId s) {
    if (sweep_.is_product()) {
      join_product(s);
    } else {
      join_sweep(s);
    }
    if (sweep_.is_owned(s) && joined_.segment[s].pending == 0) joined_.complete.push_back(s);
  }

  // Puts in order the segments in whose collectives this rank takes part one after another, including those
  // that it only passes on.
  void take_turns() {
    SegmentId before = no_segment;
    for (const Index k : sweep_.trees.in_turn) {
      const Index adds = place(sweep_.trees.reduction.of(k)), reads = place(sweep_.trees.broadcast.of(k));
      if (adds < 0 && reads < 0) continue;
      const SegmentId s = place_in_turn(k);
      Segment& segment = joined_.segment[s];
      const bool first = before == no_segment;
      if (!first) joined_.segment[before].next = s;
      before = s;
      if (segment.pending == 0) std::erase(joined_.complete, s);
      segment.pending += first ? 0 : 1;
      segment.counts_final = adds < 0 && reads > 0;
      segment.pending += segment.counts_final ? 1 : 0;
      if (segment.pending == 0) joined_.complete.push_back(s);
    }
  }

  JoinedSegments take() && { return std::move(joined_); }

 private:
  // Position of this rank among `members`, or -1.
  Index place(std::span<const RankId> members) const {
    const auto at = std::find(members.begin(), members.end(), RankId(local_blocks_.rank));
    return at == members.end() ? -1 : static_cast<Index>(at - members.begin());
  }

  // Joins a source and its target. On the owner, the target replaces the source at the end of the phase.
  void join_product(SegmentId s) {
    const SegmentId target = sweep_.target(s);
    const bool adds = join_reduction(target);
    join_broadcast(s);
    if (!adds) return;
    const Segment& sum = joined_.segment[target];
    joined_.cleared.push_back(target);
    if (sweep_.is_owned(s)) joined_.replaced.push_back({sweep_.slot(s), sum.row, sum.width});
  }

  // Partial sums of segments that other ranks own start at zero in the first sweep that adds to them; they
  // need rows of their own if the final segment arrives, too.
  void join_sweep(SegmentId s) {
    const bool adds = join_reduction(s), reads = join_broadcast(s);
    if (sweep_.is_owned(s)) return;
    Segment& sum = joined_.segment[s];
    const bool stays = sweep_.scatters() && !sweep_.spec.brings(sum.supernode);
    if (!sweep_.spec.continues && (adds || stays)) joined_.cleared.push_back(s);
    if (adds && reads) sum.sent_from = joined_.rows.take(sum.width);
  }

  // The phase's segment for supernode k, which is added if it is not a local one.
  SegmentId place_in_turn(Index k) {
    if (const Index local = local_blocks_.local(k); local >= 0) return sweep_.segments.number(local);
    const SegmentId s = joined_.segment.end_key();
    const Index width = sweep_.structure.width(k);
    joined_.segment.push_back({.row = joined_.rows.take(width), .width = width, .supernode = k});
    if (join_reduction(s)) joined_.cleared.push_back(s);
    join_broadcast(s);
    return s;
  }

  // Both functions take a segment of the phase, and return true if this rank is a member.
  bool join_reduction(SegmentId s) {
    Segment& segment = joined_.segment[s];
    const auto members = sweep_.trees.reduction.of(segment.supernode);
    const Index at = place(members);
    if (at < 0) return false;
    const auto [parent, first, last] = sweep_.spec.tree(at, static_cast<Index>(members.size()));
    segment.pending += last - first;
    for (Index c = first; c < last; ++c)
      joined_.incoming.push_back({s, members[usize(c)], MessageKind::reduction});
    if (parent >= 0) joined_.outgoing.push_back({s, members[usize(parent)], MessageKind::reduction});
    return true;
  }

  bool join_broadcast(SegmentId s) {
    const auto members = sweep_.trees.broadcast.of(joined_.segment[s].supernode);
    const Index at = place(members);
    if (at < 0) return false;
    const auto [parent, first, last] = sweep_.spec.tree(at, static_cast<Index>(members.size()));
    for (Index c = first; c < last; ++c)
      joined_.outgoing.push_back({s, members[usize(c)], MessageKind::broadcast});
    if (parent >= 0) joined_.incoming.push_back({s, members[usize(parent)], MessageKind::broadcast});
    return true;
  }

  const RankSweep& sweep_;
  const distribution::LocalBlocks& local_blocks_;
  JoinedSegments joined_;
};

}  // namespace

JoinedSegments join_trees(const RankSweep& sweep, const Subtrees& subtrees,
                          const IndexedVector<SegmentId, char>& divided, SweepTasks& tasks) {
  TreeParts parts(sweep, tasks);
  for (SegmentId s; s < sweep.end(); ++s) {
    const bool takes_part = !sweep.is_product() || sweep.structure.is_tile(sweep.supernode(s));
    if (subtrees.interior[s]) {
      if (divided[s]) parts.start_subtree(s);
    } else if (takes_part) {
      parts.join(s);
    }
  }
  parts.take_turns();
  return std::move(parts).take();
}

}  // namespace trisweep::plan
