#include <algorithm>

#include "trisweep/symbolic/blocks.hpp"

namespace trisweep::symbolic {
namespace {

// Node ranges in tiles instead of supernodes.
ordering::SeparatorTree renumbered(ordering::SeparatorTree tree, const std::vector<Index>& first_tile) {
  for (Index t = 1; t < tree.nodes(); ++t) {
    tree.begin[usize(t)] = first_tile[usize(tree.begin[usize(t)])];
    tree.end[usize(t)] = first_tile[usize(tree.end[usize(t)])];
  }
  return tree;
}

}  // namespace

Structure tiled(const Structure& structure, const std::function<Index(Index)>& tile_width) {
  Structure s;
  s.n = structure.n;
  s.first.assign(1, 0);
  s.row_ptr.assign(1, 0);
  std::vector<Index> first_tile;  // supernodes + 1
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const Index width = structure.width(k), limit = std::max(tile_width(k), Index{1});
    const Index tiles = (width + limit - 1) / limit, group = s.supernodes();
    first_tile.push_back(group);
    for (Index tile = 1; tile <= tiles; ++tile) {
      s.first.push_back(structure.first[usize(k)] + static_cast<Index>(Offset{width} * tile / tiles));
      s.whole.push_back(structure.whole[usize(k)]);
      s.group.push_back(group);
      const auto rows = structure.rows(k);
      s.row.insert(s.row.end(), rows.begin(), rows.end());
      s.row_ptr.push_back(static_cast<Offset>(s.row.size()));
    }
  }
  first_tile.push_back(s.supernodes());
  s.supernode_of.resize(usize(s.n));
  for (Index k = 0; k < s.supernodes(); ++k)
    std::fill(s.supernode_of.begin() + s.first[usize(k)], s.supernode_of.begin() + s.first[usize(k) + 1], k);
  group_blocks(s);
  s.tree = renumbered(structure.tree, first_tile);
  return s;
}

}  // namespace trisweep::symbolic
