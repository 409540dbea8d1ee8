#pragma once
// The stages in which a sweep phase is made for one rank: functions that pass values on.
//
//   find_subtrees -> list_work -> make_tasks -> join_trees -> make_sweep (sweep.hpp)
//
// Pieces are numbered as in LocalBlocks, segments as in SweepSegments, until make_sweep() leaves out idle
// ones; a phase adds segments of its own behind them.

#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/plan/sweep.hpp"

namespace trisweep::plan {

// The local segments of the supernodes that a sweep is restricted to. Others take no part in making it: a
// pruned plan has few of many segments.
class SweepSegments {
 public:
  SweepSegments(const distribution::LocalBlocks& local_blocks, const SupernodeSet& within) {
    count_ = local_blocks.segments();
    if (within.is_all()) return;
    number_.resize(usize(count_), no_segment);
    for (Index local = 0; local < std::ssize(local_blocks.segment); ++local) {
      if (!within.contains(local_blocks.segment[usize(local)])) continue;
      number_[usize(local)] = SegmentId(static_cast<Index>(local_.size()));
      local_.push_back(local);
    }
    count_ = static_cast<Index>(local_.size());
  }

  Index count() const { return count_; }
  // Of a local segment, as in LocalBlocks; no_segment if it is not among these.
  SegmentId number(Index local) const { return number_.empty() ? SegmentId(local) : number_[usize(local)]; }
  // The local segment of that number.
  Index local(SegmentId s) const { return number_.empty() ? s.value() : local_[usize(s.value())]; }

 private:
  Index count_ = 0;
  std::vector<SegmentId> number_;  // empty: all, with the same numbers
  std::vector<Index> local_;
};

// The inputs for one rank.
struct RankSweep {
  const symbolic::Structure& structure;
  const distribution::LocalBlocks& local_blocks;
  const SweepSegments& segments;
  const SweepTrees& trees;
  const SweepSpec& spec;
  const Accumulation& accumulation;

  const distribution::LocalSide& side() const { return local_blocks.side(spec.side); }
  bool scatters() const { return spec.direction == Direction::scatter; }
  bool ordered() const { return accumulation.ordered; }
  // The product of tiles: targets are segments of their own, behind the sources.
  bool is_product() const { return spec.side == distribution::Side::diagonal; }
  SegmentId source(Index piece) const { return segments.number(side().segment[usize(piece)]); }
  SegmentId target(SegmentId s) const { return is_product() ? s + segments.count() : s; }
  SegmentId of_rows(const distribution::PieceBlock& block) const { return segments.number(block.segment); }
  // Properties of a segment.
  bool is_owned(SegmentId s) const { return local_blocks.owned[usize(segments.local(s))] != 0; }
  Index supernode(SegmentId s) const { return local_blocks.segment[usize(segments.local(s))]; }
  Index width(SegmentId s) const { return local_blocks.width(segments.local(s)); }
  WorkRow slot(SegmentId s) const { return WorkRow(local_blocks.slot[usize(segments.local(s))]); }
  // True if there is nothing above a segment in the elimination tree, so that its subtree has no other rows.
  bool is_tree(SegmentId root) const { return structure.parent[usize(supernode(root))] < 0; }
  SegmentId end() const { return SegmentId(segments.count()); }
};

// By segment. A segment is *interior* if this rank alone touches it and everything below it in the
// elimination tree: then no event about it can come from, or matter to, another rank. In an ordered sweep
// only subtrees of at most a grain are interior, so that there are tasks for several threads. If one rank has
// everything, and no message waits for the end of a task, whole trees of the forest are merged into one
// subtree under the last of their roots: all trees, or in an ordered sweep as many as fit into a grain.
struct Subtrees {
  IndexedVector<SegmentId, char> interior;
  IndexedVector<SegmentId, SegmentId> root;  // of its interior subtree, or itself
};
Subtrees find_subtrees(const RankSweep& sweep);

// Kinds of tasks. The panels of an interior subtree, which are on this rank alone, are one task, the `core`,
// without counters inside, except what can be done while the rank waits: `outer` rows, which lie in segments
// far above the subtree (after the core in a scatter sweep, before it in a gather sweep), and the products
// with `diagonal` blocks once the core is done. The subtree's root segment stands for the subtree: it is
// complete when the core, or all outer rows, are done. In a scatter sweep the diagonal products overwrite
// what outer rows read, and so wait for them, through a segment without rows that all outer tasks of the
// subtree feed. An ordered sweep has no outer tasks. Every other task is a row block of a piece, `own`.
enum class TaskKind { core, outer, own, diagonal };

// A task as list_work() makes it: its kind and its row blocks.
struct Work {
  SegmentId priority;  // tasks are in the order of segments
  TaskKind kind;
  SegmentId subtree;  // root of the interior subtree, or none
  Index part;         // number of the task among those of the same priority, kind and subtree
  Index begin = 0;    // into SweepWork::row_block
  Index end = 0;

  auto place() const { return std::tuple(priority, kind, subtree, part); }
};

struct SweepWork {
  std::vector<Work> work;                  // in order of priority
  std::vector<RowBlock> row_block;         // of each task in the order of its products
  IndexedVector<SegmentId, char> divided;  // 1 for roots of subtrees with other tasks than the core
};
SweepWork list_work(const RankSweep& sweep, const Subtrees& subtrees);

// Hands out work rows behind the slots. Throws Error(environment) when there are too many.
class WorkRows {
 public:
  explicit WorkRows(Index slots) : next_(slots) {}

  WorkRow take(Index width) {
    if (next_.value() > std::numeric_limits<Index>::max() - width) {
      throw Error(ErrorKind::environment,
                  "this rank's part of the vectors, with what its threads add to them, has too many rows",
                  "use more ranks, or one thread for each and no --deterministic");
    }
    return std::exchange(next_, next_ + width);
  }
  WorkRow end() const { return next_; }

 private:
  WorkRow next_;
};

// The tasks, what each reads and feeds, and where its contributions go.
struct SweepTasks {
  std::vector<Task> task;
  std::vector<RowBlock> row_block;
  std::vector<Index> position;
  std::vector<SegmentId> feed;
  IndexedVector<SegmentId, Segment> segment;         // of the phase, with contributions of tasks only
  std::vector<std::pair<SegmentId, Index>> reads;    // segment, and the task that reads it
  std::vector<std::pair<SegmentId, WorkRow>> cells;  // segment and first row, in the order of contributions
  WorkRows rows;
};
// Takes the row blocks of `work`.
SweepTasks make_tasks(const RankSweep& sweep, const Subtrees& subtrees, SweepWork& work);

// The segments, with their messages in the trees.
struct JoinedSegments {
  IndexedVector<SegmentId, Segment> segment;
  std::vector<Incoming> incoming;  // like `outgoing`, not sorted yet
  std::vector<Outgoing> outgoing;
  std::vector<SegmentId> complete;
  std::vector<SegmentId> cleared;
  std::vector<Replacement> replaced;
  WorkRows rows;
};
// `divided`: see SweepWork. Takes the segments of `tasks`.
JoinedSegments join_trees(const RankSweep& sweep, const Subtrees& subtrees,
                          const IndexedVector<SegmentId, char>& divided, SweepTasks& tasks);

}  // namespace trisweep::plan
