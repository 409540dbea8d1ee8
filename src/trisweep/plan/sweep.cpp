#include "trisweep/plan/sweep.hpp"

#include <algorithm>

namespace trisweep::plan {
namespace {

using distribution::Share;
using distribution::SideShare;
using symbolic::Structure;

// A sweep under construction. Segments and pieces are numbered as in the share.
class Builder {
 public:
  Builder(const Structure& structure, const Share& share, const SideShare& side, const SweepSpec& spec,
          const SweepTrees& trees)
      : structure_(structure), share_(share), side_(side), spec_(spec), trees_(trees) {
    phase_.side = spec.side;
    phase_.direction = spec.direction;
    phase_.conjugate = spec.conjugate;
    phase_.segment.resize(usize(share.segments()));
  }

  SweepPhase build() && {
    find_interior();
    group_pieces();
    describe_tasks();
    for (Index s = 0; s < share_.segments(); ++s) join_trees(s);
    list_consumers();
    return std::move(phase_);
  }

 private:
  bool scatters() const { return spec_.direction == Direction::scatter; }
  Index panel_segment(Index piece) const { return share_.local[usize(side_.supernode[usize(piece)])]; }

  // A segment is interior when this rank alone touches it and everything below it in the elimination tree:
  // then no event about it can come from, or matter to, another rank.
  void find_interior() {
    const auto alone = [](std::span<const Index> members) { return members.size() == 1; };
    interior_.assign(usize(share_.segments()), 0);
    std::vector<char> below(usize(structure_.supernodes()), 1);
    for (Index s = 0; s < share_.segments(); ++s) {
      const Index k = share_.segment[usize(s)];
      const bool inside = share_.owned[usize(s)] != 0 && below[usize(k)] != 0 &&
                          alone(trees_.broadcast.of(k)) && alone(trees_.reduction.of(k));
      interior_[usize(s)] = inside;
      if (!inside && structure_.parent[usize(k)] >= 0) below[usize(structure_.parent[usize(k)])] = 0;
    }
  }

  // The root of the interior subtree that segment s of supernode k belongs to, as a local segment.
  void label_subtrees() {
    subtree_.resize(usize(share_.segments()));
    for (Index s = share_.segments() - 1; s >= 0; --s) {
      const Index parent = structure_.parent[usize(share_.segment[usize(s)])];
      const Index up = parent < 0 ? -1 : share_.local[usize(parent)];
      subtree_[usize(s)] = interior_[usize(s)] && up >= 0 && interior_[usize(up)] ? subtree_[usize(up)] : s;
    }
  }

  // Orders the pieces by task: those of one interior subtree together, at the subtree's root, each other one
  // on its own. A gather sweep runs backward, so tasks and the pieces within them are reversed.
  void group_pieces() {
    label_subtrees();
    for (Index p = 0; p < side_.pieces(); ++p) {
      if (spec_.panels.contains(side_.supernode[usize(p)])) phase_.piece.push_back(p);
    }
    const auto key = [&](Index p) { return subtree_[usize(panel_segment(p))]; };
    std::stable_sort(phase_.piece.begin(), phase_.piece.end(),
                     [&](Index p, Index q) { return key(p) < key(q); });
    if (!scatters()) std::reverse(phase_.piece.begin(), phase_.piece.end());
    for (Index i = 0; i < static_cast<Index>(phase_.piece.size()); ++i) {
      const bool starts = i == 0 || key(phase_.piece[usize(i)]) != key(phase_.piece[usize(i) - 1]);
      if (starts)
        phase_.task.push_back({.piece_begin = i, .piece_end = i, .feed_begin = 0, .feed_end = 0, .waits = 0});
      ++phase_.task.back().piece_end;
    }
  }

  // The exterior segments that the pieces of a task read from or add to on their row side, and on their panel
  // side; each once.
  std::vector<Index> row_segments(const Task& task) const {
    std::vector<Index> list;
    for (Index i = task.piece_begin; i < task.piece_end; ++i) {
      for (const Index s : side_.blocks(phase_.piece[usize(i)])) {
        if (!interior_[usize(s)]) list.push_back(s);
      }
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!scatters()) std::reverse(list.begin(), list.end());
    return list;
  }
  std::vector<Index> panel_segments(const Task& task) const {
    const Index s = panel_segment(phase_.piece[usize(task.piece_begin)]);
    return interior_[usize(s)] ? std::vector<Index>{} : std::vector<Index>{s};
  }

  void describe_tasks() {
    for (std::size_t t = 0; t < phase_.task.size(); ++t) {
      Task& task = phase_.task[t];
      auto sources = panel_segments(task), targets = row_segments(task);
      if (!scatters()) std::swap(sources, targets);
      task.waits = static_cast<Index>(sources.size());
      for (const Index s : sources) reads_.emplace_back(s, static_cast<Index>(t));
      task.feed_begin = static_cast<Index>(phase_.feed.size());
      phase_.feed.insert(phase_.feed.end(), targets.begin(), targets.end());
      task.feed_end = static_cast<Index>(phase_.feed.size());
      for (const Index s : targets) ++phase_.segment[usize(s)].pending;
    }
  }

  // Position of this rank among `members`, or -1.
  Index position(std::span<const Index> members) const {
    const auto at = std::find(members.begin(), members.end(), share_.rank);
    return at == members.end() ? -1 : static_cast<Index>(at - members.begin());
  }

  void join_trees(Index s) {
    if (interior_[usize(s)]) return;
    Segment& segment = phase_.segment[usize(s)];
    const Index k = share_.segment[usize(s)];
    const Offset rows = share_.width(s);
    if (join_reduction(segment, k, rows) && !share_.owned[usize(s)]) phase_.cleared.push_back(s);
    join_broadcast(segment, k, rows);
    if (share_.owned[usize(s)] && segment.pending == 0) phase_.ready.push_back(s);
  }

  bool join_reduction(Segment& segment, Index k, Offset rows) {
    const auto members = trees_.reduction.of(k);
    const auto size = static_cast<Index>(members.size());
    const Index at = position(members);
    if (at < 0) return false;
    const auto [parent, first, last] = spec_.tree(at, size);
    segment.pending += last - first;
    phase_.receives.reduction += last - first;
    phase_.rows_received.reduction += rows * (last - first);
    if (parent >= 0) {
      segment.parent = members[usize(parent)];
      ++phase_.sends.reduction;
      phase_.rows_sent.reduction += rows;
    }
    return true;
  }

  void join_broadcast(Segment& segment, Index k, Offset rows) {
    const auto members = trees_.broadcast.of(k);
    const Index at = position(members);
    segment.child_begin = segment.child_end = static_cast<Index>(phase_.child.size());
    if (at < 0) return;
    const auto [parent, first, last] = spec_.tree(at, static_cast<Index>(members.size()));
    for (Index c = first; c < last; ++c) phase_.child.push_back(members[usize(c)]);
    segment.child_end += last - first;
    phase_.sends.broadcast += last - first;
    phase_.rows_sent.broadcast += rows * (last - first);
    if (parent >= 0) {
      ++phase_.receives.broadcast;
      phase_.rows_received.broadcast += rows;
    }
  }

  void list_consumers() {
    std::sort(reads_.begin(), reads_.end());
    auto read = reads_.begin();
    for (Index s = 0; s < share_.segments(); ++s) {
      Segment& segment = phase_.segment[usize(s)];
      segment.consumer_begin = static_cast<Index>(phase_.consumer.size());
      for (; read != reads_.end() && read->first == s; ++read) phase_.consumer.push_back(read->second);
      segment.consumer_end = static_cast<Index>(phase_.consumer.size());
    }
  }

  const Structure& structure_;
  const Share& share_;
  const SideShare& side_;
  const SweepSpec& spec_;
  const SweepTrees& trees_;
  SweepPhase phase_;
  std::vector<char> interior_;                  // local segments
  std::vector<Index> subtree_;                  // local segments: root of its interior subtree, or itself
  std::vector<std::pair<Index, Index>> reads_;  // (segment, task)
};

}  // namespace

SweepPhase make_sweep(const Structure& structure, const distribution::Mapping& mapping, const Share& share,
                      const SweepSpec& spec) {
  if (spec.panels.empty()) return {.side = spec.side, .direction = spec.direction};
  const SweepTrees trees =
      sweep_trees(structure, mapping, share.layer, spec.side, spec.direction, spec.panels);
  return Builder(structure, share, share.side(spec.side), spec, trees).build();
}

}  // namespace trisweep::plan
