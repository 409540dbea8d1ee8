#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "trisweep/plan/sweep_stages.hpp"

namespace trisweep::plan {
namespace {

// Cells of a segment: with fewer, groups cost as much as they save.
constexpr Index least_in_groups = 16;

class TaskList {
 public:
  TaskList(const RankSweep& sweep, const Subtrees& subtrees, SweepWork& work)
      : sweep_(sweep),
        local_blocks_(sweep.local_blocks),
        side_(sweep.side()),
        interior_(subtrees.interior),
        divided_(work.divided),
        list_{.row_block = std::move(work.row_block), .rows = WorkRows(sweep.local_blocks.work_rows())} {
    place_segments();
  }

  void add(const Work& work) {
    list_.task.push_back({.row_block_begin = work.begin,
                          .row_block_end = work.end,
                          .diagonal = work.kind == TaskKind::diagonal});
    if (sweep_.is_product() && !sweep_.scatters()) {
      for (RowBlock& row_block : row_blocks(list_.task.back()))
        row_block.at = target_row(sweep_.source(row_block.piece));
    }
    if (work.kind == TaskKind::diagonal) {
      wait_for_readers(work.subtree);
    } else {
      connect(work);
    }
  }

  SweepTasks take() && {
    if (sweep_.ordered()) add_in_groups();
    return std::move(list_);
  }

 private:
  void place_segments() {
    list_.segment = decltype(list_.segment)(usize(sweep_.end()));
    for (SegmentId s; s < sweep_.end(); ++s) {
      Segment& segment = list_.segment[s];
      segment.row = sweep_.slot(s);
      segment.width = sweep_.width(s);
      segment.supernode = sweep_.supernode(s);
    }
    if (!sweep_.is_product()) return;
    for (SegmentId s; s < sweep_.end(); ++s) {
      list_.segment.push_back(list_.segment[s]);
      const bool takes_part = sweep_.structure.is_tile(sweep_.supernode(s));
      if (takes_part) list_.segment.back().row = list_.rows.take(sweep_.width(s));
    }
  }

  WorkRow target_row(SegmentId s) const { return list_.segment[sweep_.target(s)].row; }

  // Cells by segment: indices into SweepTasks::cells.
  using Cells = std::map<SegmentId, Index>;
  void give_cell(Cells& cells, SegmentId s) {
    const SegmentId target = sweep_.target(s);
    cells[s] = static_cast<Index>(list_.cells.size());
    list_.cells.emplace_back(target, list_.rows.take(list_.segment[target].width));
  }
  WorkRow row_of(const Cells& cells, SegmentId s) const { return list_.cells[usize(cells.at(s))].second; }

  // Calls visit(block) for the part of each block of its piece that a row block has.
  template <class Visit>
  void for_each_block(const RowBlock& row_block, Visit&& visit) const {
    Index row = 0;  // of the piece, at the start of the block
    for (const distribution::PieceBlock& block : side_.blocks(row_block.piece)) {
      const Index begin = std::max(row_block.row_begin, row) - row + block.begin;
      const Index end = std::min(row_block.row_end - row + block.begin, block.end);
      if (begin < end) visit(distribution::PieceBlock{block.segment, begin, end});
      row += block.end - block.begin;
    }
  }

  std::span<RowBlock> row_blocks(const Task& task) {
    return std::span(list_.row_block)
        .subspan(usize(task.row_block_begin), usize(task.row_block_end - task.row_block_begin));
  }

  // The segments that count on the row side of the last task, each once: those outside of its subtree, and
  // for a core the subtree's own root when other tasks wait for the core, or it for them.
  std::vector<SegmentId> row_segments(const Work& work) {
    std::vector<SegmentId> list;
    if (work.kind == TaskKind::core && divided_[work.subtree]) list.push_back(work.subtree);
    if (work.kind == TaskKind::core && sweep_.is_tree(work.subtree)) return list;
    for (const RowBlock& row_block : row_blocks(list_.task.back())) {
      for_each_block(row_block, [&](const auto& block) {
        if (const SegmentId s = sweep_.of_rows(block); !interior_[s]) list.push_back(s);
      });
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!sweep_.scatters()) std::reverse(list.begin(), list.end());
    return list;
  }
  // The same on its panel side.
  std::vector<SegmentId> panel_segments(const Work& work) const {
    if (work.kind == TaskKind::core) return {};
    if (work.kind != TaskKind::own) return {work.subtree};
    return {sweep_.source(list_.row_block[usize(work.begin)].piece)};
  }

  // Records what the last task reads and feeds, and where its contributions go.
  void connect(const Work& work) {
    auto sources = panel_segments(work), targets = row_segments(work);
    if (!sweep_.scatters()) {
      std::erase_if(targets, [&](SegmentId s) { return !sweep_.spec.brings(sweep_.supernode(s)); });
      std::swap(sources, targets);
    }
    for (const SegmentId s : sources) read(s);
    Task& task = list_.task.back();
    task.feed_begin = static_cast<Index>(list_.feed.size());
    for (const SegmentId s : targets) feed(sweep_.target(s));
    if (work.kind == TaskKind::outer && sweep_.scatters()) feed(read_by_outer(work.subtree));
    task.feed_end = static_cast<Index>(list_.feed.size());
    if (sweep_.ordered()) {
      give_cells(task, work.kind, targets);
    } else if (sweep_.is_product() && sweep_.scatters()) {
      redirect_rows(task, [&](SegmentId s) { return target_row(s); });
    }
  }

  // A task with diagonal blocks waits for its subtree's core, which the root segment stands for, and for the
  // outer tasks that read the segments it overwrites.
  void wait_for_readers(SegmentId subtree) {
    Task& task = list_.task.back();
    task.feed_begin = task.feed_end = static_cast<Index>(list_.feed.size());
    read(subtree);
    if (const auto outer = read_by_outer_.find(subtree); outer != read_by_outer_.end()) read(outer->second);
  }

  void read(SegmentId segment) {
    list_.reads.emplace_back(segment, static_cast<Index>(list_.task.size()) - 1);
    ++list_.task.back().waits;
  }
  void feed(SegmentId segment) {
    list_.feed.push_back(segment);
    cell_of_feed_.push_back(-1);
    ++list_.segment[segment].pending;
  }

  // A segment without rows that is complete when the subtree's outer tasks, which come first, have read it.
  SegmentId read_by_outer(SegmentId subtree) {
    const auto [at, made] = read_by_outer_.try_emplace(subtree, list_.segment.end_key());
    if (made) list_.segment.push_back({.row = sweep_.slot(subtree), .supernode = sweep_.supernode(subtree)});
    return at->second;
  }

  void give_cells(Task& task, TaskKind kind, const std::vector<SegmentId>& targets) {
    if (sweep_.scatters() && kind == TaskKind::own) return share_cells(task, targets);
    task.cell_begin = list_.rows.end();
    RowBlock& row_block = list_.row_block[usize(task.row_block_begin)];
    const bool is_part = row_block.row_end - row_block.row_begin < side_.height(row_block.piece);
    Cells cells;
    for (const SegmentId s : targets) {
      // A piece that is gathered by one task needs no cell: no other task writes to its segment.
      if (sweep_.scatters() ? !interior_[s] : is_part) give_cell(cells, s);
    }
    if (sweep_.scatters()) {
      redirect_rows(task, [&](SegmentId s) { return row_of(cells, s); });
    } else if (!cells.empty()) {
      row_block.at = row_of(cells, targets.front());
    }
    note_cells(task, targets, cells);
    task.cell_end = list_.rows.end();
  }

  // Consecutive tasks of a scattered piece write to different rows: they share one cell of each segment. Each
  // clears it from its own first row to that of the next task.
  void share_cells(Task& task, const std::vector<SegmentId>& targets) {
    const RowBlock row_block = list_.row_block[usize(task.row_block_begin)];
    if (std::exchange(shared_.piece, row_block.piece) != row_block.piece) {
      shared_.cells.clear();
      for (const auto& block : side_.blocks(row_block.piece)) give_cell(shared_.cells, sweep_.of_rows(block));
      shared_.end = list_.rows.end();
    }
    redirect_rows(task, [&](SegmentId s) { return row_of(shared_.cells, s); });
    note_cells(task, targets, shared_.cells);
    task.cell_begin = cleared_from(row_block.piece, row_block.row_begin);
    task.cell_end = cleared_from(row_block.piece, row_block.row_end);
  }
  WorkRow cleared_from(Index piece, Index row) const {
    Index begin = 0;  // row of the piece, at the start of the block
    for (const distribution::PieceBlock& block : side_.blocks(piece)) {
      const SegmentId s = sweep_.of_rows(block);
      const Index end = begin + block.end - block.begin, first = block.begin + row - begin;
      if (row == begin) return row_of(shared_.cells, s);
      if (row < end) {
        std::vector<Index> position;
        distribution::append_positions(sweep_.structure, local_blocks_, sweep_.spec.side, piece,
                                       {block.segment, first, first + 1}, position);
        return row_of(shared_.cells, s) + (WorkRow(position.front()) - sweep_.slot(s));
      }
      begin = end;
    }
    return shared_.end;
  }

  // Records the cell of each contribution of the task.
  void note_cells(const Task& task, const std::vector<SegmentId>& targets, const Cells& cells) {
    for (Index feed = task.feed_begin; const SegmentId s : targets) {
      const auto cell = cells.find(s);
      cell_of_feed_[usize(feed++)] = cell != cells.end() ? cell->second : -1;
    }
  }

  // The last task that contributes to a segment would add all n cells while others wait for it. So about
  // sqrt(n) consecutive cells form a group, whose sum is a segment of its own, in the first of these cells:
  // the last task adds at most 2 sqrt(n). The cells of the last tasks, which finish last, are in no group.
  void add_in_groups() {
    IndexedVector<SegmentId, Index> cells(list_.segment.size()), seen(list_.segment.size());
    IndexedVector<SegmentId, SegmentId> group(list_.segment.size());
    std::vector<SegmentId> group_of(list_.cells.size(), no_segment);
    for (const auto& cell : list_.cells) ++cells[cell.first];
    for (std::size_t c = 0; c < list_.cells.size(); ++c) {
      auto& [added_to, row] = list_.cells[c];
      const SegmentId sum = added_to;
      if (cells[sum] < least_in_groups) continue;
      const auto size = static_cast<Index>(std::ceil(std::sqrt(cells[sum])));
      const Index left = cells[sum] - size - seen[sum];
      if (left <= 0) continue;
      if (seen[sum]++ % size == 0 && left > 1) {
        const Segment& whole = list_.segment[sum];
        group[sum] = list_.segment.end_key();
        list_.segment.push_back(
            {.row = row, .width = whole.width, .supernode = whole.supernode, .next = sum});
        ++list_.segment[sum].pending;
      } else {
        added_to = group[sum];
      }
      group_of[c] = group[sum];
    }
    for (std::size_t f = 0; f < list_.feed.size(); ++f) {
      if (cell_of_feed_[f] < 0 || group_of[usize(cell_of_feed_[f])] == no_segment) continue;
      --list_.segment[list_.feed[f]].pending;
      list_.feed[f] = group_of[usize(cell_of_feed_[f])];
      ++list_.segment[list_.feed[f]].pending;
    }
  }

  // Rows of exterior segments s are found from work row row_of(s) on instead of in their slots.
  template <class RowOf>
  void redirect_rows(const Task& task, RowOf&& row_of) {
    std::vector<Index>& position = list_.position;
    for (RowBlock& row_block : row_blocks(task)) {
      const auto begin = static_cast<Offset>(position.size());
      for_each_block(row_block, [&](const auto& block) {
        const SegmentId s = sweep_.of_rows(block);
        auto row = static_cast<std::ptrdiff_t>(position.size());
        distribution::append_positions(sweep_.structure, local_blocks_, sweep_.spec.side, row_block.piece,
                                       block, position);
        if (interior_[s]) return;
        for (; row < std::ssize(position); ++row) position[usize(row)] += row_of(s) - sweep_.slot(s);
      });
      row_block.position = begin;
    }
  }

  const RankSweep& sweep_;
  const distribution::LocalBlocks& local_blocks_;
  const distribution::LocalSide& side_;
  const IndexedVector<SegmentId, char>& interior_;
  const IndexedVector<SegmentId, char>& divided_;
  SweepTasks list_;
  std::map<SegmentId, SegmentId> read_by_outer_;  // by root of a subtree
  std::vector<Index> cell_of_feed_;               // -1: none
  struct {
    Index piece = -1;  // whose tasks share the cells
    Cells cells{};
    WorkRow end{};  // of their rows
  } shared_;
};

}  // namespace

SweepTasks make_tasks(const RankSweep& sweep, const Subtrees& subtrees, SweepWork& work) {
  TaskList list(sweep, subtrees, work);
  for (const Work& task : work.work) list.add(task);
  return std::move(list).take();
}

}  // namespace trisweep::plan
