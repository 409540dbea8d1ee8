#pragma once
// What a sweep has to do on one rank, cut into tasks. Segments and pieces are numbered as in the share.

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "trisweep/core/slabs.hpp"
#include "trisweep/plan/sweep.hpp"

namespace trisweep::plan {

// What a task does. The panels of an *interior* subtree, which this rank has to itself, are one task, the
// `core`, with nothing to count inside, except what can be done while the rank waits: `outer` rows, which lie
// in segments far above the subtree (after the core in a scatter sweep, before it in a gather sweep), and the
// products with `diagonal` blocks once the core is done. The subtree's root segment stands for the subtree:
// it is complete when the core, or all outer rows, are done. Outer rows read what the diagonal products
// overwrite: the core sets both free at once, and outer tasks come first in the plan's order, in which the
// one thread of a sweep that is not ordered runs them (an ordered one has no outer tasks). Every other task
// is a strip of a piece, `own`.
enum class TaskKind { core, outer, own, diagonal };

class SweepWork {
 protected:
  SweepWork(const symbolic::Structure& structure, const distribution::Share& share, const SweepTrees& trees,
            const SweepSpec& spec, const Accumulation& accumulation)
      : structure_(structure),
        share_(share),
        side_(share.side(spec.side)),
        trees_(trees),
        spec_(spec),
        accumulation_(accumulation) {}

  // A strip and the task it belongs to.
  struct Work {
    Index priority;  // a local segment: tasks are in its order
    TaskKind kind;
    Index subtree;  // root of the interior subtree, or -1
    Index part;     // number of the task among those of the same priority, kind and subtree
    Strip strip;

    auto task() const { return std::tuple(priority, kind, subtree, part); }
  };

  // In order of priority. A gather sweep runs backward, and last in it what no other rank waits for: cores,
  // and before them their outer rows. So does a product: what the next sweep begins with comes first.
  std::vector<Work> list_work() {
    find_parents();
    find_interior();
    if (ordered()) cut_interior();
    label_subtrees();
    list_panels();
    list_diagonal();
    const bool backward = !scatters() || is_product();
    const auto earlier = [&](const Work& a, const Work& b) {
      if (backward && a.kind != b.kind) return a.kind < b.kind;
      return a.task() < b.task();
    };
    std::stable_sort(work_.begin(), work_.end(), earlier);
    if (backward) std::reverse(work_.begin(), work_.end());
    return std::move(work_);
  }

  bool scatters() const { return spec_.direction == Direction::scatter; }
  bool ordered() const { return accumulation_.ordered; }
  Index panel_segment(Index piece) const { return side_.segment[usize(piece)]; }
  // The product of tiles: targets are segments of their own, behind the sources.
  bool is_product() const { return spec_.side == distribution::Side::diagonal; }
  bool takes_part(Index s) const { return !is_product() || structure_.is_tile(share_.segment[usize(s)]); }

  const symbolic::Structure& structure_;
  const distribution::Share& share_;
  const distribution::SideShare& side_;
  const SweepTrees& trees_;
  const SweepSpec& spec_;
  const Accumulation& accumulation_;
  std::vector<char> interior_;  // local segments
  std::vector<char> divided_;   // local segments: roots of subtrees of which more than the core is a task

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
      const bool inside = !is_product() && !spec_.collectives && share_.owned[usize(s)] != 0 &&
                          below[usize(s)] != 0 && alone(trees_.broadcast.of(k)) &&
                          alone(trees_.reduction.of(k));
      interior_[usize(s)] = inside;
      if (const Index parent = parent_[usize(s)]; !inside && parent >= 0) below[usize(parent)] = 0;
    }
  }

  // The root of the interior subtree that segment s of supernode k belongs to, as a local segment.
  void label_subtrees() {
    subtree_.resize(usize(share_.segments()));
    divided_.assign(usize(share_.segments()), 0);
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

  void list_panels() {
    std::vector<Index> interior;
    for (Index p = 0; p < side_.pieces(); ++p) {
      const Index k = side_.supernode[usize(p)], s = panel_segment(p);
      if (!spec_.panels.contains(k) || !takes_part(s) || trees_.broadcast.of(k).empty()) continue;
      if (interior_[usize(s)]) {
        interior.push_back(p);
      } else {
        list_own(p);
      }
    }
    const auto root = [&](Index p) { return subtree_[usize(panel_segment(p))]; };
    std::stable_sort(interior.begin(), interior.end(), [&](Index p, Index q) { return root(p) < root(q); });
    for (auto first = interior.begin(); first != interior.end();) {
      const auto last = std::find_if(first, interior.end(), [&](Index p) { return root(p) != root(*first); });
      list_subtree(root(*first), {first, last});
      first = last;
    }
  }

  // One strip, unless the piece is larger than a grain: then several, of whole slabs.
  void list_own(Index p) {
    const Index height = side_.height(p), s = panel_segment(p);
    const Index slabs = (height + slab_rows - 1) / slab_rows;
    const Offset grain = accumulation_.grain;
    const auto strips = static_cast<Index>(
        ordered() ? std::clamp<Offset>((entries(p) + grain - 1) / grain, 1, std::max(slabs, Index{1})) : 1);
    for (Index i = 0; i < strips; ++i) {
      const auto begin = static_cast<Index>(Offset{slabs} * i / strips) * slab_rows;
      const auto end = static_cast<Index>(Offset{slabs} * (i + 1) / strips) * slab_rows;
      work_.push_back({s, TaskKind::own, -1, i, strip_of(share_, side_, p, {begin, std::min(end, height)})});
    }
  }

  void list_subtree(Index root, std::span<const Index> pieces) {
    const std::vector<Index> cuts = outer_runs(pieces);
    for (const Index p : pieces) {
      Index begin = 0, row = 0;
      std::size_t run = 0;
      const auto list = [&] {
        if (row > begin && run == 0)
          work_.push_back({root, TaskKind::core, root, 0, strip_of(share_, side_, p, {begin, row})});
        if (row > begin && run > 0)
          work_.push_back(
              {cuts[run - 1], TaskKind::outer, root, 0, strip_of(share_, side_, p, {begin, row})});
        begin = row;
      };
      for (const distribution::PieceBlock& block : side_.blocks(p)) {
        for (; run < cuts.size() && block.segment >= cuts[run]; ++run) list();
        row += block.end - block.begin;
      }
      list();
    }
    if (!cuts.empty()) divided_[usize(root)] = 1;
  }

  // The rows of a subtree outside of it, in runs of segments that are worth a task, but for the first run:
  // the segments that the second and further runs begin with. An ordered sweep has none: their sums would
  // need cells.
  std::vector<Index> outer_runs(std::span<const Index> pieces) const {
    std::vector<Index> cuts;
    if (ordered()) return cuts;
    std::map<Index, Offset> outside;
    for (const Index p : pieces) {
      for (const distribution::PieceBlock& block : side_.blocks(p)) {
        if (!interior_[usize(block.segment)])
          outside[block.segment] += Offset{block.end - block.begin} * share_.width(panel_segment(p));
      }
    }
    Offset run = 0;
    for (const auto& [segment, size] : outside) {
      if (run >= outer_entries) {
        cuts.push_back(segment);
        run = 0;
      }
      run += size;
    }
    return cuts;
  }

  // Products with the inverted diagonal blocks of interior segments, as far as `spec` asks for them, when
  // there is nothing else to do: few at a time, because messages wait for the end of a task.
  void list_diagonal() {
    const auto& side = share_.diagonal;
    std::map<Index, std::pair<Index, Offset>> chunk;  // by subtree: number and entries of the last one
    for (Index p = 0; p < side.pieces(); ++p) {
      const Index k = side.supernode[usize(p)], s = side.segment[usize(p)], width = share_.width(s);
      if (!spec_.panels.contains(k) || !spec_.diagonal.contains(k) || !interior_[usize(s)]) continue;
      if (structure_.is_tile(k)) continue;  // interior or not: its blocks belong to the product
      const Index root = subtree_[usize(s)];
      auto& [number, size] = chunk[root];
      if (size >= diagonal_entries) {
        ++number;
        size = 0;
      }
      size += Offset{width} * width;
      work_.push_back(
          {share_.segments(), TaskKind::diagonal, root, number, strip_of(share_, side, p, {0, width})});
      divided_[usize(root)] = 1;
    }
  }

  // 16 kB: a few microseconds.
  static constexpr Offset outer_entries = 2048;
  static constexpr Offset diagonal_entries = 2048;

  std::vector<Work> work_;
  std::vector<Index> parent_;   // local segments: that of the parent supernode, or -1
  std::vector<Index> subtree_;  // local segments: root of its interior subtree, or itself
};

}  // namespace trisweep::plan
