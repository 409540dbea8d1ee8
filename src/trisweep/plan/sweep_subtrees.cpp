#include "trisweep/plan/sweep_stages.hpp"

namespace trisweep::plan {
namespace {

// Local segments: that of the parent supernode, or -1.
std::vector<Index> local_parents(const RankSweep& sweep) {
  std::vector<Index> parents;
  parents.reserve(usize(sweep.share.segments()));
  for (const Index k : sweep.share.segment) {
    const Index parent = sweep.structure.parent[usize(k)];
    parents.push_back(parent < 0 ? -1 : sweep.share.local(parent));
  }
  return parents;
}

// What lies directly below a segment is local: its panel adds to the segment. Tiles are never interior: they
// are there because ranks share their group, and the elimination tree knows what is below the first of a
// group alone.
std::vector<char> interior_segments(const RankSweep& sweep, const std::vector<Index>& parent) {
  const auto alone = [](std::span<const Index> members) { return members.size() == 1; };
  std::vector<char> interior(parent.size(), 0), below(parent.size(), 1);
  if (sweep.is_product() || sweep.spec.collectives) return interior;
  for (std::size_t s = 0; s < parent.size(); ++s) {
    const Index k = sweep.share.segment[s];
    const bool inside = sweep.share.owned[s] != 0 && below[s] != 0 && !sweep.structure.is_tile(k) &&
                        alone(sweep.trees.broadcast.of(k)) && alone(sweep.trees.reduction.of(k));
    interior[s] = inside;
    if (!inside && parent[s] >= 0) below[usize(parent[s])] = 0;
  }
  return interior;
}

// Leaves as interior only subtrees of at most a grain.
void cut(const RankSweep& sweep, const std::vector<Index>& parent, std::vector<char>& interior) {
  const distribution::SideShare& side = sweep.side();
  std::vector<Offset> entries(parent.size(), 0);
  for (Index p = 0; p < side.pieces(); ++p)
    entries[usize(sweep.source(p))] += side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)];
  for (std::size_t s = 0; s < parent.size(); ++s) {
    if (!interior[s]) continue;
    if (parent[s] >= 0) entries[usize(parent[s])] += entries[s];
    if (entries[s] > sweep.accumulation.grain) interior[s] = 0;
  }
}

}  // namespace

Subtrees find_subtrees(const RankSweep& sweep) {
  const std::vector<Index> parent = local_parents(sweep);
  Subtrees subtrees{.interior = interior_segments(sweep, parent), .root = std::vector<Index>(parent.size())};
  if (sweep.ordered()) cut(sweep, parent, subtrees.interior);
  for (Index s = sweep.share.segments() - 1; s >= 0; --s) {
    const Index up = parent[usize(s)];
    const bool goes_on = subtrees.interior[usize(s)] && up >= 0 && subtrees.interior[usize(up)];
    subtrees.root[usize(s)] = goes_on ? subtrees.root[usize(up)] : s;
  }
  return subtrees;
}

}  // namespace trisweep::plan
