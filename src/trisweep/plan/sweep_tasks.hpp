#pragma once
// The first half of building a sweep phase: which work is a task, what it reads and feeds, and where its
// contributions go. Segments and pieces are numbered as in the share.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "trisweep/plan/sweep.hpp"

namespace trisweep::plan {

class SweepTasks {
 protected:
  SweepTasks(const symbolic::Structure& structure, const distribution::Share& share, const SweepTrees& trees,
             const SweepSpec& spec, const Accumulation& accumulation)
      : structure_(structure),
        share_(share),
        side_(share.side(spec.side)),
        trees_(trees),
        spec_(spec),
        accumulation_(accumulation) {
    phase_.side = spec.side;
    phase_.direction = spec.direction;
    phase_.conjugate = spec.conjugate;
  }

  void make_tasks() {
    find_parents();
    find_interior();
    if (ordered()) cut_interior();
    place_segments();
    group_pieces();
    for (std::size_t t = 0; t < phase_.task.size(); ++t) describe_task(static_cast<Index>(t));
  }

  bool scatters() const { return spec_.direction == Direction::scatter; }
  bool ordered() const { return accumulation_.ordered; }
  Index panel_segment(Index piece) const { return side_.segment[usize(piece)]; }
  // The product of tiles: targets are segments of their own, behind the sources.
  bool is_product() const { return spec_.side == distribution::Side::diagonal; }
  Index target(Index s) const { return is_product() ? share_.segments() + s : s; }
  Index target_row(Index s) const { return phase_.segment[usize(target(s))].row; }
  bool takes_part(Index s) const { return !is_product() || structure_.is_tile(share_.segment[usize(s)]); }

  Index new_rows(Index s) {
    next_row_ += share_.width(s);
    return next_row_ - share_.width(s);
  }

  Index new_cell(Index s) {
    cells_.emplace_back(target(s), new_rows(s));
    return cells_.back().second;
  }

  const symbolic::Structure& structure_;
  const distribution::Share& share_;
  const distribution::SideShare& side_;
  const SweepTrees& trees_;
  const SweepSpec& spec_;
  const Accumulation& accumulation_;
  SweepPhase phase_;
  std::vector<char> interior_;                  // local segments
  std::vector<std::pair<Index, Index>> reads_;  // (segment, task)
  std::vector<std::pair<Index, Index>> cells_;  // (segment, first work row)
  Index next_row_ = 0;                          // work row behind the slots

 private:
  void find_parents() {
    parent_.reserve(usize(share_.segments()));
    for (const Index k : share_.segment) {
      const Index parent = structure_.parent[usize(k)];
      parent_.push_back(parent < 0 ? -1 : share_.local(parent));
    }
  }

  // A segment is interior when this rank alone touches it and everything below it in the elimination tree:
  // then no event about it can come from, or matter to, another rank. (What lies directly below is local: its
  // panel adds to the segment.)
  void find_interior() {
    const auto alone = [](std::span<const Index> members) { return members.size() == 1; };
    interior_.assign(usize(share_.segments()), 0);
    std::vector<char> below(usize(share_.segments()), 1);
    for (Index s = 0; s < share_.segments(); ++s) {
      const Index k = share_.segment[usize(s)];
      const bool inside = !is_product() && share_.owned[usize(s)] != 0 && below[usize(s)] != 0 &&
                          alone(trees_.broadcast.of(k)) && alone(trees_.reduction.of(k));
      interior_[usize(s)] = inside;
      if (const Index parent = parent_[usize(s)]; !inside && parent >= 0) below[usize(parent)] = 0;
    }
  }

  void place_segments() {
    next_row_ = share_.work_rows();
    for (Index s = 0; s < share_.segments(); ++s)
      phase_.segment.push_back(
          {.row = share_.slot[usize(s)], .width = share_.width(s), .supernode = share_.segment[usize(s)]});
    if (!is_product()) return;
    for (Index s = 0; s < share_.segments(); ++s) {
      phase_.segment.push_back(phase_.segment[usize(s)]);
      if (takes_part(s)) phase_.segment.back().row = new_rows(s);
    }
  }

  // The root of the interior subtree that segment s of supernode k belongs to, as a local segment.
  void label_subtrees() {
    subtree_.resize(usize(share_.segments()));
    for (Index s = share_.segments() - 1; s >= 0; --s) {
      const Index up = parent_[usize(s)];
      subtree_[usize(s)] = interior_[usize(s)] && up >= 0 && interior_[usize(up)] ? subtree_[usize(up)] : s;
    }
  }

  Offset entries(Index piece) const {
    return side_.value_ptr[usize(piece) + 1] - side_.value_ptr[usize(piece)];
  }

  // Leaves as interior only subtrees of at most a grain, so that there are tasks for several threads.
  void cut_interior() {
    std::vector<Offset> work(usize(share_.segments()), 0);
    for (Index p = 0; p < side_.pieces(); ++p) work[usize(panel_segment(p))] += entries(p);
    for (Index s = 0; s < share_.segments(); ++s) {
      if (!interior_[usize(s)]) continue;
      if (const Index parent = parent_[usize(s)]; parent >= 0) work[usize(parent)] += work[usize(s)];
      if (work[usize(s)] > accumulation_.grain) interior_[usize(s)] = 0;
    }
  }

  // Makes the tasks: the pieces of one interior subtree together, at the subtree's root, each other piece on
  // its own. A gather sweep runs backward, so tasks and the pieces within them are reversed.
  void group_pieces() {
    label_subtrees();
    std::vector<Index> pieces;
    for (Index p = 0; p < side_.pieces(); ++p) {
      const Index k = side_.supernode[usize(p)];
      if (spec_.panels.contains(k) && takes_part(panel_segment(p)) && !trees_.broadcast.of(k).empty())
        pieces.push_back(p);
    }
    const auto key = [&](Index p) { return subtree_[usize(panel_segment(p))]; };
    std::stable_sort(pieces.begin(), pieces.end(), [&](Index p, Index q) { return key(p) < key(q); });
    if (!scatters()) std::reverse(pieces.begin(), pieces.end());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Index p = pieces[i];
      if (!interior_[usize(panel_segment(p))]) {
        add_strips(p);
        continue;
      }
      if (i == 0 || key(p) != key(pieces[i - 1])) add_task();
      add_strip(p, 0, side_.height(p));
    }
  }

  void add_task() {
    const auto at = static_cast<Index>(phase_.strip.size());
    phase_.task.push_back({.strip_begin = at, .strip_end = at, .feed_begin = 0, .feed_end = 0, .waits = 0});
  }

  void add_strip(Index p, Index row_begin, Index row_end) {
    const Index s = panel_segment(p);
    const Index at = scatters() ? share_.slot[usize(s)] : target_row(s);
    phase_.strip.push_back({p, row_begin, row_end, side_.row_ptr[usize(p)] + row_begin, at});
    ++phase_.task.back().strip_end;
  }

  // A task for each strip of a piece of its own; one, unless the piece is larger than a grain.
  void add_strips(Index p) {
    const Index height = side_.height(p);
    const Offset grain = accumulation_.grain;
    const auto strips = static_cast<Index>(
        ordered() ? std::clamp<Offset>((entries(p) + grain - 1) / grain, 1, std::max(height, Index{1})) : 1);
    for (Index i = 0; i < strips; ++i) {
      const Index strip = scatters() ? i : strips - 1 - i;
      add_task();
      add_strip(p, static_cast<Index>(Offset{height} * strip / strips),
                static_cast<Index>(Offset{height} * (strip + 1) / strips));
    }
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

  // The exterior segments that a task reads from or adds to on its row side, and on its panel side; each
  // once.
  std::vector<Index> row_segments(const Task& task) const {
    std::vector<Index> list;
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
  std::vector<Index> panel_segments(const Task& task) const {
    const Index s = panel_segment(phase_.strip[usize(task.strip_begin)].piece);
    return interior_[usize(s)] ? std::vector<Index>{} : std::vector<Index>{s};
  }

  void describe_task(Index t) {
    Task& task = phase_.task[usize(t)];
    auto sources = panel_segments(task), targets = row_segments(task);
    if (!scatters()) std::swap(sources, targets);
    task.waits = static_cast<Index>(sources.size());
    for (const Index s : sources) reads_.emplace_back(s, t);
    task.feed_begin = static_cast<Index>(phase_.feed.size());
    for (const Index s : targets) {
      phase_.feed.push_back(target(s));
      ++phase_.segment[usize(target(s))].pending;
    }
    task.feed_end = static_cast<Index>(phase_.feed.size());
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
      for (const Index s : targets) cell[s] = new_cell(s);
      redirect_rows(task, [&](Index s) { return cell.at(s); });
    } else if (!targets.empty() && strip.row_end - strip.row_begin < side_.height(strip.piece)) {
      strip.at = new_cell(targets.front());
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

  std::vector<Index> parent_;   // local segments: that of the parent supernode, or -1
  std::vector<Index> subtree_;  // local segments: root of its interior subtree, or itself
};

}  // namespace trisweep::plan
