#include "trisweep/plan/sweep_stages.hpp"

namespace trisweep::plan {
namespace {

// By segment: that of the parent supernode, or none.
using Parents = IndexedVector<SegmentId, SegmentId>;
Parents parents_of(const RankSweep& sweep) {
  Parents parents(usize(sweep.end()), no_segment);
  for (SegmentId s; s < sweep.end(); ++s) {
    const Index parent = sweep.structure.parent[usize(sweep.supernode(s))];
    if (parent < 0) continue;
    if (const Index local = sweep.local_blocks.local(parent); local >= 0)
      parents[s] = sweep.segments.number(local);
  }
  return parents;
}

// The children of a segment are local, since their panels add to it. Tiles are never interior: they exist
// because ranks share their group, and in the elimination tree only the first tile of a group has children.
IndexedVector<SegmentId, char> interior_segments(const RankSweep& sweep, const Parents& parent) {
  const bool one_rank = sweep.trees.of_one_rank();
  const auto alone = [&](const Members& members, Index k) { return one_rank || members.of(k).size() == 1; };
  IndexedVector<SegmentId, char> interior(parent.size(), 0), below(parent.size(), 1);
  if (sweep.is_product() || sweep.spec.collectives) return interior;
  for (SegmentId s; s < parent.end_key(); ++s) {
    const Index k = sweep.supernode(s);
    const bool inside = sweep.is_owned(s) && below[s] != 0 && !sweep.structure.is_tile(k) &&
                        alone(sweep.trees.broadcast, k) && alone(sweep.trees.reduction, k);
    interior[s] = inside;
    if (!inside && parent[s] != no_segment) below[parent[s]] = 0;
  }
  return interior;
}

// Leaves only subtrees of at most a grain as interior. Returns the entries of the subtrees.
IndexedVector<SegmentId, Offset> cut(const RankSweep& sweep, const Parents& parent,
                                     IndexedVector<SegmentId, char>& interior) {
  const distribution::LocalSide& side = sweep.side();
  IndexedVector<SegmentId, Offset> entries(parent.size(), 0);
  for (Index p = 0; p < side.pieces(); ++p) {
    if (const SegmentId s = sweep.source(p); s != no_segment)
      entries[s] += side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)];
  }
  for (SegmentId s; s < parent.end_key(); ++s) {
    if (!interior[s]) continue;
    if (parent[s] != no_segment) entries[parent[s]] += entries[s];
    if (entries[s] > sweep.accumulation.grain) interior[s] = 0;
  }
  return entries;
}

// Merges whole trees of the forest, from the last one on, into one subtree under the last of their roots.
class MergedTrees {
 public:
  explicit MergedTrees(Offset most) : most_(most) {}

  // The root that stands for a tree of `entries` entries: its own root if the merged trees would have too
  // many with it.
  SegmentId root_for(SegmentId root, Offset entries) {
    if (root_ == no_segment || entries > most_ - entries_) {
      root_ = root;
      entries_ = 0;
    }
    entries_ += entries;
    return root_;
  }

 private:
  Offset most_;
  SegmentId root_ = no_segment;
  Offset entries_ = 0;
};

}  // namespace

Subtrees find_subtrees(const RankSweep& sweep) {
  const Parents parent = parents_of(sweep);
  Subtrees subtrees{.interior = interior_segments(sweep, parent), .root = Parents(parent.size())};
  IndexedVector<SegmentId, Offset> entries(parent.size(), 0);
  if (sweep.ordered()) entries = cut(sweep, parent, subtrees.interior);
  MergedTrees trees(sweep.accumulation.grain);
  for (Index last = sweep.segments.count() - 1; last >= 0; --last) {
    const SegmentId s(last), up = parent[s];
    SegmentId& root = subtrees.root[s];
    root = s;
    if (!subtrees.interior[s]) continue;
    if (up == no_segment && sweep.trees.of_one_rank()) root = trees.root_for(s, entries[s]);
    if (up != no_segment && subtrees.interior[up]) root = subtrees.root[up];
  }
  return subtrees;
}

}  // namespace trisweep::plan
