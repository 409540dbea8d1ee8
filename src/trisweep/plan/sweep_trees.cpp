#include <algorithm>

#include "trisweep/plan/tree.hpp"

namespace trisweep::plan {
namespace {

// Members being collected: per supernode the owner first, then each rank when it is first met.
class Collector {
 public:
  explicit Collector(Index supernodes) : list_(usize(supernodes)) {}

  void add(Index k, Index rank) {
    auto& list = list_[usize(k)];
    if (std::find(list.begin(), list.end(), rank) == list.end()) list.push_back(rank);
  }

  Members take() && {
    Members members;
    members.ptr.reserve(list_.size() + 1);
    members.ptr.push_back(0);
    for (auto& list : list_) {
      members.rank.insert(members.rank.end(), list.begin(), list.end());
      members.ptr.push_back(static_cast<Offset>(members.rank.size()));
    }
    return members;
  }

 private:
  std::vector<std::vector<Index>> list_;
};

}  // namespace

SweepTrees sweep_trees(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                       Index layer, distribution::Side side, Direction direction, SupernodeRange panels) {
  const Index supernodes = structure.supernodes();
  Collector by_panel(supernodes), by_row(supernodes);
  for (Index k = 0; k < supernodes; ++k) {
    if (!mapping.layers_of(k).contains(layer)) continue;
    by_panel.add(k, mapping.diagonal_owner(layer, k));
    by_row.add(k, mapping.diagonal_owner(layer, k));
  }
  // Descending K meets, for each row I, the largest K first; ascending I meets, for each panel K, the
  // smallest I first. Both are the orders wanted near the roots, in the scatter and in the gather direction.
  for (Index k = std::min(supernodes, panels.last) - 1; k >= panels.first; --k) {
    if (!mapping.layers_of(k).contains(layer)) continue;
    for (const auto& block : structure.blocks(k)) {
      const Index rank = mapping.owner(layer, side, block.row_supernode, k);
      by_panel.add(k, rank);
      by_row.add(block.row_supernode, rank);
    }
  }
  if (direction == Direction::scatter) return {std::move(by_panel).take(), std::move(by_row).take()};
  return {std::move(by_row).take(), std::move(by_panel).take()};
}

}  // namespace trisweep::plan
