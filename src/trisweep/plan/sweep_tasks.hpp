#pragma once
// The first half of building a sweep phase: its tasks, what each reads and feeds, and where its contributions
// go.

#include <map>

#include "trisweep/plan/sweep_work.hpp"

namespace trisweep::plan {

class SweepTasks : protected SweepWork {
 protected:
  SweepTasks(const symbolic::Structure& structure, const distribution::Share& share, const SweepTrees& trees,
             const SweepSpec& spec, const Accumulation& accumulation)
      : SweepWork(structure, share, trees, spec, accumulation) {
    phase_.side = spec.side;
    phase_.direction = spec.direction;
    phase_.conjugate = spec.conjugate;
    phase_.diagonal_op = spec.diagonal_op;
  }

  void make_tasks() {
    const std::vector<Work> work = list_work();
    place_segments();
    for (auto first = work.begin(); first != work.end();) {
      const auto last =
          std::find_if(first, work.end(), [&](const Work& w) { return w.task() != first->task(); });
      make_task({first, last});
      first = last;
    }
  }

  Index target(Index s) const { return is_product() ? share_.segments() + s : s; }
  Index target_row(Index s) const { return phase_.segment[usize(target(s))].row; }

  Index new_rows(Index width) {
    next_row_ += width;
    return next_row_ - width;
  }

  // For a segment of the phase.
  Index new_cell(Index segment) {
    cells_.emplace_back(segment, new_rows(phase_.segment[usize(segment)].width));
    return cells_.back().second;
  }

  SweepPhase phase_;
  std::vector<std::pair<Index, Index>> reads_;  // (segment, task)
  std::vector<std::pair<Index, Index>> cells_;  // (segment, first work row)
  Index next_row_ = 0;                          // work row behind the slots

 private:
  void place_segments() {
    next_row_ = share_.work_rows();
    for (Index s = 0; s < share_.segments(); ++s)
      phase_.segment.push_back(
          {.row = share_.slot[usize(s)], .width = share_.width(s), .supernode = share_.segment[usize(s)]});
    if (!is_product()) return;
    for (Index s = 0; s < share_.segments(); ++s) {
      phase_.segment.push_back(phase_.segment[usize(s)]);
      if (takes_part(s)) phase_.segment.back().row = new_rows(share_.width(s));
    }
  }

  void make_task(std::span<const Work> work) {
    const auto at = static_cast<Index>(phase_.strip.size());
    Task task{.strip_begin = at,
              .strip_end = at + static_cast<Index>(work.size()),
              .diagonal = work.front().kind == TaskKind::diagonal};
    for (const Work& w : work) {
      phase_.strip.push_back(w.strip);
      if (is_product() && !scatters()) phase_.strip.back().at = target_row(panel_segment(w.strip.piece));
    }
    phase_.task.push_back(task);
    describe_task(work.front());
  }

  // Calls visit(block) for the part of each block of its piece that a strip has.
  template <class Visit>
  void for_each_block(const Strip& strip, Visit&& visit) const {
    Index row = 0;  // of the piece, at the begin of the block
    for (const distribution::PieceBlock& block : side_.blocks(strip.piece)) {
      const Index begin = std::max(strip.row_begin, row) - row + block.begin;
      const Index end = std::min(strip.row_end - row + block.begin, block.end);
      if (begin < end) visit(distribution::PieceBlock{block.segment, begin, end});
      row += block.end - block.begin;
    }
  }

  // The segments that count on the row side of the last task, each once: those outside of its subtree, and
  // for a core the subtree's own root when other tasks wait for the core, or it for them.
  std::vector<Index> row_segments(const Work& work) const {
    std::vector<Index> list;
    if (work.kind == TaskKind::diagonal) return list;
    if (work.kind == TaskKind::core && divided_[usize(work.subtree)]) list.push_back(work.subtree);
    const Task& task = phase_.task.back();
    for (Index i = task.strip_begin; i < task.strip_end; ++i) {
      for_each_block(phase_.strip[usize(i)], [&](const auto& block) {
        if (!interior_[usize(block.segment)]) list.push_back(block.segment);
      });
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!scatters()) std::reverse(list.begin(), list.end());
    return list;
  }
  // And on its panel side.
  std::vector<Index> panel_segments(const Work& work) const {
    if (work.kind == TaskKind::core) return {};
    return {work.kind == TaskKind::own ? panel_segment(work.strip.piece) : work.subtree};
  }

  void describe_task(const Work& work) {
    const auto t = static_cast<Index>(phase_.task.size()) - 1;
    Task& task = phase_.task.back();
    auto sources = panel_segments(work), targets = row_segments(work);
    if (!scatters()) {
      std::erase_if(targets, [&](Index s) { return !spec_.brings(share_.segment[usize(s)]); });
      std::swap(sources, targets);
    }
    task.waits = static_cast<Index>(sources.size());
    for (const Index s : sources) reads_.emplace_back(s, t);
    task.feed_begin = static_cast<Index>(phase_.feed.size());
    for (const Index s : targets) {
      phase_.feed.push_back(target(s));
      ++phase_.segment[usize(target(s))].pending;
    }
    task.feed_end = static_cast<Index>(phase_.feed.size());
    if (task.diagonal) return;
    if (ordered()) {
      give_cells(task, targets);
    } else if (is_product() && scatters()) {
      redirect_rows(task, [&](Index s) { return target_row(s); });
    }
  }

  // A piece that is gathered by one task needs no cell: nobody else writes to its segment.
  void give_cells(Task& task, const std::vector<Index>& targets) {
    task.cell_begin = next_row_;
    Strip& strip = phase_.strip[usize(task.strip_begin)];
    if (scatters()) {
      std::map<Index, Index> cell;
      for (const Index s : targets) {
        if (!interior_[usize(s)]) cell[s] = new_cell(target(s));
      }
      redirect_rows(task, [&](Index s) { return cell.at(s); });
    } else if (!targets.empty() && strip.row_end - strip.row_begin < side_.height(strip.piece)) {
      strip.at = new_cell(target(targets.front()));
    }
    task.cell_end = next_row_;
  }

  // Rows of exterior segments s are found from work row row_of(s) on instead of in their slots.
  template <class RowOf>
  void redirect_rows(const Task& task, RowOf&& row_of) {
    for (Index i = task.strip_begin; i < task.strip_end; ++i) {
      Strip& strip = phase_.strip[usize(i)];
      const auto begin = static_cast<Offset>(phase_.position.size());
      for_each_block(strip, [&](const auto& block) {
        const Index s = block.segment;
        auto row = static_cast<std::ptrdiff_t>(phase_.position.size());
        distribution::append_positions(structure_, share_, spec_.side, strip.piece, block, phase_.position);
        if (interior_[usize(s)]) return;
        for (; row < std::ssize(phase_.position); ++row)
          phase_.position[usize(row)] += row_of(s) - share_.slot[usize(s)];
      });
      strip.position = begin;
    }
  }
};

}  // namespace trisweep::plan
