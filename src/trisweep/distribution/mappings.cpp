#include <algorithm>
#include <array>
#include <cmath>

#include "trisweep/core/named.hpp"
#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

Index layers(const ProcessGrid& grid) {
  return grid.pz;
}
Index ranks(const ProcessGrid& grid) {
  return grid.ranks();
}

constexpr auto table = std::to_array<NamedMapping>({
    {"block-cyclic", block_cyclic, block_cyclic_sides, layers},
    // Two more levels: dividing subtrees of single ranks further makes the ranks' parts more equal.
    {"proportional", proportional, proportional_sides, ranks, 2, true},
});

}  // namespace

std::span<const NamedMapping> mappings() {
  return table;
}

const NamedMapping& find_mapping(std::string_view name) {
  return find_named(mappings(), "mapping", name);
}

int tree_levels(const NamedMapping& mapping, const ProcessGrid& grid) {
  return ordering::levels_to_parts(mapping.parts(grid)) + mapping.levels_below_parts;
}

std::shared_ptr<const symbolic::Structure> in_tiles(std::shared_ptr<const symbolic::Structure> structure,
                                                    const NamedMapping& mapping, const ProcessGrid& grid,
                                                    const Tiling& tiling) {
  const symbolic::Structure& s = *structure;
  const std::vector<Index> node_sides = mapping.node_sides(s, grid);
  std::vector<Index> limit(usize(s.supernodes()));
  bool cuts = false;
  for (Index t = 1; t < s.tree.nodes(); ++t) {
    const Index longest = node_sides[usize(t)];
    for (Index k = s.tree.begin[usize(t)]; k < s.tree.end[usize(t)]; ++k) {
      const Index width = s.width(k);
      const Index rounds = (width + longest * tiling.width - 1) / (longest * tiling.width);
      const bool stays = s.whole[usize(k)] == 0 || (longest == 1 && !tiling.on_one_rank);
      const Index tiles = longest * rounds;
      limit[usize(k)] = stays ? width : std::max((width + tiles - 1) / tiles, tiling.least);
      cuts = cuts || limit[usize(k)] < width;
    }
  }
  if (!cuts) return structure;
  return std::make_shared<const symbolic::Structure>(
      symbolic::tiled(s, [&](Index k) { return limit[usize(k)]; }));
}

}  // namespace trisweep::distribution
