#include "trisweep/plan/sweep.hpp"

#include <algorithm>
#include <tuple>

#include "trisweep/plan/sweep_stages.hpp"

namespace trisweep::plan {
namespace {

// Calls visit(segment) for every reference to a segment.
template <class Visit>
void for_each_reference(SweepTasks& tasks, JoinedSegments& joined, Visit&& visit) {
  const auto visit_members = [&](auto& list, auto member) {
    for (auto& element : list) visit(element.*member);
  };
  for (auto* list : {&tasks.feed, &joined.complete, &joined.cleared})
    for (SegmentId& s : *list) visit(s);
  visit_members(tasks.reads, &std::pair<SegmentId, Index>::first);
  visit_members(tasks.cells, &std::pair<SegmentId, WorkRow>::first);
  visit_members(joined.incoming, &Incoming::segment);
  visit_members(joined.outgoing, &Outgoing::segment);
  for (Segment& segment : joined.segment)
    if (segment.next != no_segment) visit(segment.next);
}

// Leaves out the segments that no task, message or counter refers to, and renumbers the others: most of a
// rank's own subtrees are left out, and most of a pruned plan.
void leave_out_idle_segments(SweepTasks& tasks, JoinedSegments& joined) {
  IndexedVector<SegmentId, SegmentId> number(joined.segment.size(), no_segment);
  for_each_reference(tasks, joined, [&](SegmentId& s) { number[s] = s; });
  for (SegmentId s; s < joined.segment.end_key(); ++s)
    if (joined.segment[s].pending > 0 || joined.segment[s].next != no_segment) number[s] = s;
  IndexedVector<SegmentId, Segment> kept;
  for (SegmentId s; s < joined.segment.end_key(); ++s) {
    if (number[s] == no_segment) continue;
    number[s] = kept.end_key();
    kept.push_back(joined.segment[s]);
  }
  joined.segment = std::move(kept);
  for_each_reference(tasks, joined, [&](SegmentId& s) { s = number[s]; });
}

// Sorts messages by supernode and kind. No two messages between the same two ranks have both in common, so
// that both ranks list them in the same order.
void number_messages(SweepPhase& phase) {
  const auto supernode = [&](const auto& m) { return phase.segment[m.segment].supernode; };
  std::ranges::sort(phase.incoming, {},
                    [&](const Incoming& m) { return std::tuple(supernode(m), m.kind, m.from); });
  std::ranges::stable_sort(phase.outgoing, {},
                           [&](const Outgoing& m) { return std::pair(supernode(m), m.kind); });
  for (Index number = 0; number < static_cast<Index>(phase.outgoing.size()); ++number) {
    const Outgoing& message = phase.outgoing[usize(number)];
    Segment& segment = phase.segment[message.segment];
    if (message.kind == MessageKind::reduction) {
      segment.parent = number;
    } else {
      if (segment.child_begin == segment.child_end) segment.child_begin = number;
      segment.child_end = number + 1;
    }
  }
}

// Gives a cell to each incoming partial sum, which is a contribution, too, after those of tasks.
void give_cells_to_messages(SweepPhase& phase, std::vector<std::pair<SegmentId, WorkRow>>& cells,
                            WorkRows& rows) {
  for (Incoming& message : phase.incoming) {
    if (message.kind != MessageKind::reduction) continue;
    message.cell = rows.take(phase.segment[message.segment].width);
    cells.emplace_back(message.segment, message.cell);
  }
}

// Appends the second element of each pair to `list`, by segment, the first element.
template <class Listed>
void list_by_segment(const std::vector<std::pair<SegmentId, Listed>>& pairs, SweepPhase& phase,
                     std::vector<Listed>& list, Index Segment::*begin, Index Segment::*end) {
  if (pairs.empty()) return;
  auto pair = pairs.begin();
  for (SegmentId s; s < phase.segment.end_key(); ++s) {
    Segment& segment = phase.segment[s];
    segment.*begin = static_cast<Index>(list.size());
    for (; pair != pairs.end() && pair->first == s; ++pair) list.push_back(pair->second);
    segment.*end = static_cast<Index>(list.size());
  }
}

}  // namespace

SweepPhase make_sweep(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks,
                      const SweepTrees& trees, const SweepSpec& spec, const Accumulation& accumulation) {
  if (spec.idle()) return {.side = spec.side, .direction = spec.direction};
  const SweepSegments segments(local_blocks, spec.within);
  const RankSweep sweep{structure, local_blocks, segments, trees, spec, accumulation};
  const Subtrees subtrees = find_subtrees(sweep);
  SweepWork work = list_work(sweep, subtrees);
  SweepTasks tasks = make_tasks(sweep, subtrees, work);
  JoinedSegments joined = join_trees(sweep, subtrees, work.divided, tasks);
  leave_out_idle_segments(tasks, joined);
  SweepPhase phase{.side = spec.side,
                   .direction = spec.direction,
                   .conjugate = spec.conjugate,
                   .diagonal_op = spec.diagonal_op,
                   .task = std::move(tasks.task),
                   .row_block = std::move(tasks.row_block),
                   .position = std::move(tasks.position),
                   .feed = std::move(tasks.feed),
                   .segment = std::move(joined.segment),
                   .complete = std::move(joined.complete),
                   .cleared = std::move(joined.cleared),
                   .incoming = std::move(joined.incoming),
                   .outgoing = std::move(joined.outgoing),
                   .replaced = std::move(joined.replaced)};
  for (SegmentId s; s < phase.segment.end_key(); ++s) {
    if (phase.segment[s].pending > 0) phase.counted.push_back(s);
  }
  number_messages(phase);
  if (sweep.ordered()) give_cells_to_messages(phase, tasks.cells, joined.rows);
  std::ranges::sort(tasks.reads);
  list_by_segment(tasks.reads, phase, phase.consumer, &Segment::consumer_begin, &Segment::consumer_end);
  std::ranges::stable_sort(tasks.cells, {}, &std::pair<SegmentId, WorkRow>::first);
  list_by_segment(tasks.cells, phase, phase.cell, &Segment::cell_begin, &Segment::cell_end);
  phase.extra_rows = joined.rows.end() - WorkRow(local_blocks.work_rows());
  return phase;
}

}  // namespace trisweep::plan
