#pragma once
// A panel of the factors as a list of tiles, each dense or U V^T, packed in the bytes that its accuracy needs
// (number_format.hpp). Their relative error in the Frobenius norm of the panel is at most eps: each tile's by
// its share of the entries, so that the error of an entry is about the same everywhere.
//
// Products with any op and on either side read the same tiles.

#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "trisweep/kernels/stored.hpp"
#include "trisweep/lowrank/packed_panel.hpp"

namespace trisweep::lowrank {

// Rows [row, row + rows) and columns [col, col + cols) of a panel.
struct Tile {
  static constexpr Index dense = -1;
  Index row, rows;
  Index col, cols;
  Index rank;  // or `dense`
  Index padding;
  std::int64_t first;   // byte of the panel where the dense block begins, or U
  std::int64_t second;  // where V begins, before U
};

// A panel in memory: this head, its tiles by rows and then columns (equally many in each row), and their
// bytes.
struct TilesHead {
  Index tiles;
  std::uint32_t before;  // bytes from the beginning of the previous panel to this one; or 0
};
inline std::span<const Tile> tiles_of(const std::byte* panel) {
  TilesHead head;
  std::memcpy(&head, panel, sizeof head);
  return {reinterpret_cast<const Tile*>(panel + sizeof head), usize(head.tiles)};
}

// Records where the previous panel begins, which a backward sweep reads next.
inline void link(std::byte* panel, std::size_t before) {
  const bool fits = before <= std::numeric_limits<std::uint32_t>::max();
  reinterpret_cast<TilesHead*>(panel)->before = fits ? static_cast<std::uint32_t>(before) : 0;
}
inline const std::byte* panel_before(const std::byte* panel) {
  TilesHead head;
  std::memcpy(&head, panel, sizeof head);
  return panel - head.before;
}

// A height x width panel in slabs (core/slabs.hpp).
template <class S>
struct SlabPanel {
  const S* value;
  Index height;
  Index width;
};

// Where to cut the rows of a panel: at the ends of blocks, if those are not too far apart, because blocks end
// with clusters of unknowns, and tiles between clusters have low rank.
std::vector<Index> tile_rows(std::span<const Index> block_ends);

// The panel in tiles whose rows are cut at `cut` (from 0 to the height), for products with vectors of T;
// empty if that is not shorter than the uncompressed panel, or if an entry is not finite.
template <Scalar T, class S>
requires kernels::StorageOf<S, T> std::vector<std::byte> in_tiles(const SlabPanel<S>& panel,
                                                                  std::span<const Index> cut, double eps);

}  // namespace trisweep::lowrank
