#pragma once
// Products with a panel in tiles (lowrank/tiles.hpp), in place of those with its values: packed values are
// read as they are, each by one thread, which unpacks it in a register.
//
// A low-rank tile is U V^T. Its first factor times a vector gives intermediate sums, which are stored in the
// worker's scratch: first those of all tiles of a row block are computed, with the columns of packed panels
// distributed over the groups of the block. After a barrier each thread computes rows of the result, to which
// all tiles in that row, or column, contribute in order. For P s a dense tile needs no sums; for P^T g it
// only has sums, as if it were U V^T with V = 1.

#include "trisweep/device/make_program.hpp"
#include "trisweep/device/packed_numbers.hpp"
#include "trisweep/device/products.hpp"
#include "trisweep/lowrank/tiles.hpp"

namespace trisweep::device {

using lowrank::Tile;
using lowrank::TilesHead;

// The tiles of a panel that intersect a row block, by rows and columns of tiles.
class TilesOfRowBlock {
 public:
  TRISWEEP_DEVICE TilesOfRowBlock(const TilesHead* panel, const RowBlock& row_block)
      : panel_(panel), row_block_(row_block) {
    while (in_row_ < panel->tiles && tile(in_row_).row == tile(0).row) ++in_row_;
    const Index all = panel->tiles / in_row_;
    first_ = rows_before(row_block.row_begin + 1, all) - 1;
    rows_ = rows_before(row_block.row_end, all) - first_;
  }

  TRISWEEP_DEVICE Index rows() const { return rows_; }
  TRISWEEP_DEVICE Index in_row() const { return in_row_; }
  TRISWEEP_DEVICE const Tile& operator()(Index row, Index column) const {
    return tile((first_ + row) * in_row_ + column);
  }
  // Rows of the tile that belong to the row block.
  TRISWEEP_DEVICE Range rows_of(const Tile& tile) const {
    const Index begin = row_block_.row_begin - tile.row, end = row_block_.row_end - tile.row;
    return {begin > 0 ? begin : 0, end < tile.rows ? end : tile.rows};
  }
  // First: the dense block, or U. Second: V.
  TRISWEEP_DEVICE const std::byte* first(const Tile& tile) const { return bytes() + tile.first; }
  TRISWEEP_DEVICE const std::byte* second(const Tile& tile) const { return bytes() + tile.second; }
  // Row of its sums in the scratch: a tile has at most as many sums as columns.
  TRISWEEP_DEVICE Index sums_of(Index row, const Tile& tile) const {
    return row * row_block_.width + tile.col;
  }

 private:
  // Number of rows of tiles that begin before a row of the panel.
  TRISWEEP_DEVICE Index rows_before(Index row, Index all) const {
    Index begin = 0, end = all;
    while (begin < end) {
      const Index middle = (begin + end) / 2;
      if (tile(middle * in_row_).row < row) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  TRISWEEP_DEVICE const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(panel_); }
  TRISWEEP_DEVICE const Tile& tile(Index t) const { return reinterpret_cast<const Tile*>(panel_ + 1)[t]; }

  const TilesHead* panel_;
  const RowBlock& row_block_;
  Index in_row_ = 0;
  Index first_ = 0;
  Index rows_ = 0;
};

// Largest number of rows of a worker's scratch, for a tile of right-hand sides, that the products of a
// program need with these panels: for g, sums and the result.
template <class Side>
Index rows_for_tiles(const Program& /*program*/, const PanelsBySide<Side>& /*panels*/) {
  return 0;
}
template <class S>
Index rows_for_tiles(const Program& program, const PanelsBySide<PieceSpan<S>>& panels) {
  Index most = 0;
  for (const Product& product : program.product) {
    for (Index i = product.row_block.begin; i < product.row_block.end; ++i) {
      const RowBlock& row_block = program.row_block[usize(i)];
      const Piece& piece = panels[product.side].piece[usize(row_block.piece)];
      if (!piece.in_tiles) continue;
      const TilesOfRowBlock tiles(reinterpret_cast<const TilesHead*>(piece.first), row_block);
      most = std::max(most, row_block.row_end - row_block.row_begin + (tiles.rows() + 1) * row_block.width);
    }
  }
  return most;
}

// Size of a worker's scratch, in values: what the program needs, followed by what tiles need.
inline std::size_t scratch_size(const Program& program, Index rows_for_tiles, Index nrhs) {
  return usize(program.scratch) * usize(nrhs) +
         usize(rows_for_tiles) * usize(std::min<Index>(nrhs, widest_tile));
}

// A tile of right-hand sides, row-major.
template <class T>
struct TileOfRows {
  const T* first;
  std::size_t ld;

  TRISWEEP_DEVICE const T* operator()(Index i) const { return first + usize(i) * ld; }
  TRISWEEP_DEVICE TileOfRows from(Index row) const { return {(*this)(row), ld}; }
};

// sums(k, :) = P(rows, k)^T x, where x has only these rows: each group computes columns of a packed panel,
// whose rows its lanes share.
template <int tile, class T, class Block>
TRISWEEP_DEVICE inline void sum_packed_columns(const std::byte* panel, Range rows, const TileOfRows<T>& x,
                                               RealPart<T> sign, T* sums, const Block& block) {
  for_each_column<T>(panel, [&](Index k, const PackedColumn<T>& column) {
    if (k % block.groups != block.group) return;
    T sum[tile] = {};
    for (Index i = rows.begin + block.lane; i < rows.end; i += block.lanes) {
      const T value = column(i);
      for (int r = 0; r < tile; ++r) add_product(sum[r], value, x(i - rows.begin)[r], sign);
    }
    unrolled<tile>([&](int r) {
      const T whole = block.sum_over_lanes(sum[r]);
      if (block.lane == 0) sums[k * tile + r] = times(column.step(), whole);
    });
  });
}

// sum += P(i, :) x: row i of a packed panel, by one thread.
template <int tile, class T>
TRISWEEP_DEVICE inline void add_packed_row(T* sum, const std::byte* panel, Index i, const TileOfRows<T>& x,
                                           RealPart<T> sign) {
  for_each_column<T>(panel, [&](Index k, const PackedColumn<T>& column) {
    const T value = times(column.step(), column(i));
    for (int r = 0; r < tile; ++r) add_product(sum[r], value, x(k)[r], sign);
  });
}

// Calls visit(i) for i in `range`, as many at a time as a group has lanes; `turn` determines the group and
// goes on over several calls.
template <class Block, class Visit>
TRISWEEP_DEVICE inline void for_each_in_turn(const Block& block, Range range, Index& turn,
                                             const Visit& visit) {
  for (Index first = range.begin; first < range.end; first += block.lanes, ++turn) {
    if (turn % block.groups == block.group && first + block.lane < range.end) visit(first + block.lane);
  }
}

// The vectors of a product with the tiles of a row block: y, with consecutive rows, becomes P x or P^T x.
template <class T>
struct TileVectors {
  TileOfRows<T> x;
  T* y;
  T* sums;
};

template <int tile, class T, class Block>
TRISWEEP_DEVICE inline void multiply_tiles(const TilesOfRowBlock& tiles, const TileVectors<T>& v,
                                           RealPart<T> sign, const Block& block) {
  for (Index row = 0; row < tiles.rows(); ++row) {
    for (Index c = 0; c < tiles.in_row(); ++c) {
      const Tile& t = tiles(row, c);
      if (t.rank == Tile::dense) continue;
      sum_packed_columns<tile>(tiles.second(t), {0, t.cols}, v.x.from(t.col), sign,
                               v.sums + tiles.sums_of(row, t) * tile, block);
    }
  }
  block.sync();
  Index turn = 0;
  T* y = v.y;
  for (Index row = 0; row < tiles.rows(); ++row) {
    const Range rows = tiles.rows_of(tiles(row, 0));
    for_each_in_turn(block, rows, turn, [&](Index i) {
      T sum[tile] = {};
      for (Index c = 0; c < tiles.in_row(); ++c) {
        const Tile& t = tiles(row, c);
        const TileOfRows<T> sums{v.sums + tiles.sums_of(row, t) * tile, tile};
        add_packed_row<tile>(sum, tiles.first(t), i, t.rank == Tile::dense ? v.x.from(t.col) : sums, sign);
      }
      for (int r = 0; r < tile; ++r) y[(i - rows.begin) * tile + r] = sum[r];
    });
    y += (rows.end - rows.begin) * tile;
  }
}

template <int tile, class T, class Block>
TRISWEEP_DEVICE inline void multiply_tiles_transposed(const TilesOfRowBlock& tiles, const TileVectors<T>& v,
                                                      RealPart<T> sign, const Block& block) {
  TileOfRows<T> x = v.x;
  for (Index row = 0; row < tiles.rows(); ++row) {
    const Range rows = tiles.rows_of(tiles(row, 0));
    for (Index c = 0; c < tiles.in_row(); ++c) {
      const Tile& t = tiles(row, c);
      sum_packed_columns<tile>(tiles.first(t), rows, x, sign, v.sums + tiles.sums_of(row, t) * tile, block);
    }
    x = x.from(rows.end - rows.begin);
  }
  block.sync();
  Index turn = 0;
  for (Index c = 0; c < tiles.in_row(); ++c) {
    const Index col = tiles(0, c).col;
    for_each_in_turn(block, {0, tiles(0, c).cols}, turn, [&](Index j) {
      T sum[tile] = {};
      for (Index row = 0; row < tiles.rows(); ++row) {
        const Tile& t = tiles(row, c);
        const TileOfRows<T> sums{v.sums + tiles.sums_of(row, t) * tile, tile};
        if (t.rank == Tile::dense) {
          for (int r = 0; r < tile; ++r) sum[r] += sums(j)[r];
        } else {
          add_packed_row<tile>(sum, tiles.second(t), j, sums, sign);
        }
      }
      for (int r = 0; r < tile; ++r) v.y[(col + j) * tile + r] = sum[r];
    });
  }
}

template <class T, int most>
using OperandsInTiles = Operands<TilesHead, T, most>;
// Number of right-hand sides at a time: with more than 64 bytes of sums, in addition to what packed columns
// need, a thread would exceed 128 registers.
template <class T, int most>
inline constexpr int width_in_tiles = std::min<int>(most, 64 / sizeof(T));

// P s and P^T g, as multiply() and multiply_transposed() for uncompressed panels.
template <class T, int most, class Block, class Put>
TRISWEEP_DEVICE inline void multiply(const OperandsInTiles<T, most>& o, const Block& block, const Put& put) {
  const TilesOfRowBlock tiles(o.value, o.row_block);
  const std::size_t rows = usize(o.row_block.row_end - o.row_block.row_begin);
  for_each_tile<width_in_tiles<T, most>>(o.nrhs(), 0, [&](auto tile, Index column) {
    constexpr int columns = tile;
    T* const y = o.scratch();
    const TileVectors<T> v{{o.panel_side(0) + column, usize(o.nrhs())}, y, y + rows * columns};
    multiply_tiles<columns>(tiles, v, sign_of(o), block);
    block.sync();
    for_each(block, rows * columns, [&](std::size_t e) {
      put(o.row_block.row_begin + static_cast<Index>(e / columns), column + static_cast<Index>(e % columns),
          y[e]);
    });
    block.sync();  // the scratch is free
  });
}
template <class T, int most, class Block, class Rows, class Put>
TRISWEEP_DEVICE inline void multiply_transposed(const OperandsInTiles<T, most>& o, const Block& block,
                                                const Rows& rows, const Put& put) {
  const TilesOfRowBlock tiles(o.value, o.row_block);
  const std::size_t height = usize(o.row_block.row_end - o.row_block.row_begin),
                    width = usize(o.row_block.width);
  for_each_tile<width_in_tiles<T, most>>(o.nrhs(), 0, [&](auto tile, Index column) {
    constexpr int columns = tile;
    T* const g = o.scratch();
    for_each(block, height * columns, [&](std::size_t e) {
      g[e] = rows(o.row_block.row_begin + static_cast<Index>(e / columns))[usize(column) + e % columns];
    });
    block.sync();
    T* const y = g + height * columns;
    multiply_tiles_transposed<columns>(tiles, TileVectors<T>{{g, columns}, y, y + width * columns},
                                       sign_of(o), block);
    block.sync();
    for_each(block, width * columns, [&](std::size_t e) {
      put(static_cast<Index>(e / columns), column + static_cast<Index>(e % columns), y[e]);
    });
    block.sync();
  });
}

}  // namespace trisweep::device
