#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trisweep/core/error.hpp"
#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

constexpr std::array<NamedMapping, 2> table{{
    {"block-cyclic", block_cyclic, block_cyclic_node_grids},
    {"proportional", proportional, proportional_node_grids},
}};

}  // namespace

RankGrid::RankGrid(Index first_rank, Index count)
    : first(first_rank),
      ranks(count),
      px(static_cast<Index>(std::sqrt(static_cast<double>(count)))),
      py(count / px) {}

std::span<const NamedMapping> mappings() {
  return table;
}

const NamedMapping& find_mapping(std::string_view name) {
  std::string known;
  for (const auto& row : table) {
    if (row.name == name) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no mapping '{}'", name), "choose one of: " + known);
}

symbolic::Structure in_tiles(const symbolic::Structure& structure, const NamedMapping& mapping,
                             const ProcessGrid& grid, const Tiling& tiling) {
  const std::vector<RankGrid> grids = mapping.node_grids(structure, grid);
  std::vector<Index> limit(usize(structure.supernodes()));
  for (Index t = 1; t < structure.tree.nodes(); ++t) {
    const Index sides = std::max(grids[usize(t)].px, grids[usize(t)].py);
    for (Index k = structure.tree.begin[usize(t)]; k < structure.tree.end[usize(t)]; ++k) {
      const Index width = structure.width(k);
      const Index rounds = (width + sides * tiling.width - 1) / (sides * tiling.width);
      const bool stays = structure.whole[usize(k)] == 0 || grids[usize(t)].ranks == 1;
      const Index tiles = sides * rounds;
      limit[usize(k)] = stays ? width : std::max((width + tiles - 1) / tiles, tiling.least);
    }
  }
  return symbolic::tiled(structure, [&](Index k) { return limit[usize(k)]; });
}

}  // namespace trisweep::distribution
