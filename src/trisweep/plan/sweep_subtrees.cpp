#include "trisweep/plan/sweep_stages.hpp"

namespace trisweep::plan {
namespace {

// Of local segments: that of the parent supernode, or none.
using Parents = IndexedVector<SegmentId, SegmentId>;
Parents local_parents(const RankSweep& sweep) {
  Parents parents;
  for (const Index k : sweep.local_blocks.segment) {
    const Index parent = sweep.structure.parent[usize(k)];
    parents.push_back(parent < 0 ? no_segment : SegmentId(sweep.local_blocks.local(parent)));
  }
  return parents;
}

// What lies directly below a segment is local: its panel adds to the segment. Tiles are never interior: they
// are there because ranks share their group, and the elimination tree knows what is below the first of a
// group alone.
IndexedVector<SegmentId, char> interior_segments(const RankSweep& sweep, const Parents& parent) {
  const auto alone = [](std::span<const RankId> members) { return members.size() == 1; };
  IndexedVector<SegmentId, char> interior(parent.size(), 0), below(parent.size(), 1);
  if (sweep.is_product() || sweep.spec.collectives) return interior;
  for (SegmentId s; s < parent.end_key(); ++s) {
    const Index k = sweep.supernode(s);
    const bool inside = sweep.is_owned(s) && below[s] != 0 && !sweep.structure.is_tile(k) &&
                        alone(sweep.trees.broadcast.of(k)) && alone(sweep.trees.reduction.of(k));
    interior[s] = inside;
    if (!inside && parent[s] != no_segment) below[parent[s]] = 0;
  }
  return interior;
}

// Leaves as interior only subtrees of at most a grain.
void cut(const RankSweep& sweep, const Parents& parent, IndexedVector<SegmentId, char>& interior) {
  const distribution::LocalSide& side = sweep.side();
  IndexedVector<SegmentId, Offset> entries(parent.size(), 0);
  for (Index p = 0; p < side.pieces(); ++p)
    entries[sweep.source(p)] += side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)];
  for (SegmentId s; s < parent.end_key(); ++s) {
    if (!interior[s]) continue;
    if (parent[s] != no_segment) entries[parent[s]] += entries[s];
    if (entries[s] > sweep.accumulation.grain) interior[s] = 0;
  }
}

}  // namespace

Subtrees find_subtrees(const RankSweep& sweep) {
  const Parents parent = local_parents(sweep);
  Subtrees subtrees{.interior = interior_segments(sweep, parent), .root = Parents(parent.size())};
  if (sweep.ordered()) cut(sweep, parent, subtrees.interior);
  for (Index last = sweep.local_blocks.segments() - 1; last >= 0; --last) {
    const SegmentId s(last), up = parent[s];
    const bool goes_on = subtrees.interior[s] && up != no_segment && subtrees.interior[up];
    subtrees.root[s] = goes_on ? subtrees.root[up] : s;
  }
  return subtrees;
}

}  // namespace trisweep::plan
