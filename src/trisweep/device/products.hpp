#pragma once
// Products of a panel with work rows, by the threads of a block. Panels lie in slabs of 32 rows
// (core/slabs.hpp): what a block's lanes read side by side is one column of a slab.
//
// One right-hand side is bound by memory: every number of the panel is read once. Many are taken a tile at a
// time, whose sums are in registers, and whose rows of the vectors, which all threads read, are in the
// block's own memory where they fit; the tiles read the panel again, from the cache. Full tiles are the
// tensor cores' where a block has such (tile_product.hpp).

#include "trisweep/backend/team.hpp"
#include "trisweep/device/program.hpp"
#include "trisweep/device/tile_product.hpp"

namespace trisweep::device {

// Right-hand sides whose sums a thread has in registers at most.
inline constexpr int widest_tile = tile_size;

// The vectors that a worker's products read and write.
template <class T>
struct WorkRows {
  T* row;
  const Index* position;  // of all row blocks
  T* scratch;             // of the worker
  Index nrhs;
};

// A row block of a panel of S, and work rows of T, of whose right-hand sides at most `columns` are multiplied
// at a time. (S is what the panel begins with: a number, or the head of tiles, see products_in_tiles.hpp.)
// What is the same for all threads stays in memory, and takes no register of each.
template <class S, class T, int columns = widest_tile>
struct Operands {
  const S* value;
  const RowBlock& row_block;
  const WorkRows<T>& work;
  bool conjugate;
  bool in_place = false;  // the scratch begins with the product

  TRISWEEP_DEVICE Index nrhs() const { return columns == 1 ? 1 : work.nrhs; }
  TRISWEEP_DEVICE T* at(Index work_row) const { return work.row + usize(work_row) * usize(nrhs()); }
  TRISWEEP_DEVICE T* row_side(Index i) const {
    return at(work.position[row_block.position + (i - row_block.row_begin)]);
  }
  TRISWEEP_DEVICE T* panel_side(Index j) const { return at(row_block.at + j); }
  TRISWEEP_DEVICE T* scratch() const {
    return work.scratch + (in_place ? usize(row_block.width) * usize(nrhs()) : 0);
  }
};

// The rows of one slab that belong to a row block.
template <class S>
struct Slab {
  const S* value;  // of row 0 of the slab
  Index ld;
  Index first;  // row of the panel
  Index begin;  // rows [begin, end) of the slab
  Index end;
};

template <class S, class T, int most>
TRISWEEP_DEVICE inline Slab<S> slab_of(const Operands<S, T, most>& o, Index number) {
  const RowBlock& s = o.row_block;
  const Index first = (s.row_begin / slab_rows + number) * slab_rows;
  const Index rows = s.height - first < slab_rows ? s.height - first : slab_rows;
  const Index last = s.row_end - first < rows ? s.row_end - first : rows;
  return {o.value + usize(first) * usize(s.width), rows, first, s.row_begin > first ? s.row_begin - first : 0,
          last};
}
TRISWEEP_DEVICE inline Index slabs_of(const RowBlock& s) {
  return (s.row_end + slab_rows - 1) / slab_rows - s.row_begin / slab_rows;
}

// Calls visit(constant tile, first column) for tiles that cover all right-hand sides.
template <int most, class Visit>
TRISWEEP_DEVICE inline void for_each_tile(Index nrhs, Index column, const Visit& visit) {
  for (; nrhs - column >= most; column += most) visit(std::integral_constant<int, most>(), column);
  if constexpr (most > 1) {
    if (column < nrhs) for_each_tile<most / 2>(nrhs, column, visit);
  }
}
// Whether so many right-hand sides are multiplied by tiles.
template <class Block, class T, int columns>
inline constexpr bool by_tiles = columns == tile_size&& Block::template multiplies_tiles<T>;

// A tile's part of rows(begin) ... rows(end - 1). Made and used by all threads of a block.
template <int tile, class T, class Block, class Rows>
class TileRows {
 public:
  TRISWEEP_DEVICE TileRows(const Block& block, const Rows& rows, Range range, Index column)
      : rows_(rows), begin_(range.begin), column_(column) {
    const auto size = usize(range.end - range.begin) * usize(tile);
    if (tile == 1 || size * sizeof(T) > Block::tile_bytes) return;
    T* const copy = block.template tile<T>();
    block.sync();  // who reads the tile before has done so
    for_each(block, size, [&](std::size_t e) {
      copy[e] = rows(range.begin + static_cast<Index>(e / usize(tile)))[usize(column) + e % usize(tile)];
    });
    block.sync();
    copy_ = copy;
  }
  TRISWEEP_DEVICE const T* operator()(Index i) const {
    return copy_ != nullptr ? copy_ + usize(i - begin_) * usize(tile) : rows_(i) + column_;
  }

 private:
  const Rows& rows_;
  Index begin_;
  Index column_;
  const T* copy_ = nullptr;
};

template <class S, class T, int most>
TRISWEEP_DEVICE inline RealPart<T> sign_of(const Operands<S, T, most>& o) {
  return o.conjugate ? RealPart<T>(-1) : RealPart<T>(1);
}

// Rows of a slab with a tile of right-hand sides, whose rows are source(j): a lane has a row.
template <int tile, class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_slab(const Operands<S, T, most>& o, const Slab<S>& slab,
                                          const Block& block, const Source& source, const Put& put) {
  for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
    T sum[tile] = {};
    const S* value = slab.value + i;
    for (Index j = 0; j < o.row_block.width; ++j, value += slab.ld) {
      const T* const s = source(j);
      const T factor = widened<T>(*value);
      for (int r = 0; r < tile; ++r) add_product(sum[r], factor, s[r], sign_of(o));
    }
    for (int r = 0; r < tile; ++r) put(slab.first + i, r, sum[r]);
  }
}

// The same by tiles, which cover the slab's rows.
template <class S, class T, int most, class Warp, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_slab_by_tiles(const Operands<S, T, most>& o, const Slab<S>& slab,
                                                   const Warp& warp, const Source& source, const Put& put) {
  constexpr int tiles = slab_rows / tile_size;
  TileSum<Warp, T> sum[tiles];
  const auto is_row = [&](Index i) { return i >= slab.begin && i < slab.end; };
  for (Index first = 0; first < o.row_block.width; first += tile_depth) {
    typename Warp::template Register<T> a, b;
    warp.each([&](int lane) {
      const TilePlace at = place_in_b(lane);
      b[usize(lane)] = first + at.row < o.row_block.width ? source(first + at.row)[at.column] : T{};
    });
    for (int t = 0; t < tiles; ++t) {
      warp.each([&](int lane) {
        const TilePlace at = place_in_a(lane);
        const Index i = t * tile_size + at.row, j = first + at.column;
        const bool is_in = is_row(i) && j < o.row_block.width;
        a[usize(lane)] = is_in ? widened<T>(slab.value[usize(j) * usize(slab.ld) + usize(i)]) : T{};
      });
      sum[t].add(warp, a, b, sign_of(o));
    }
  }
  for (int t = 0; t < tiles; ++t) {
    warp.each([&](int lane) {
      for (int share = 0; share < tile_shares; ++share) {
        const TilePlace at = place_in_c(lane, share);
        const Index i = t * tile_size + at.row;
        if (is_row(i)) put(slab.first + i, at.column, sum[t].at(lane, share));
      }
    });
  }
}

// Calls put(i, column, sum) with sum = (P s)(i, column) for all rows i of the row block: a group has a slab.
template <class S, class T, int most, class Block, class Put>
TRISWEEP_DEVICE inline void multiply(const Operands<S, T, most>& o, const Block& block, const Put& put) {
  const auto panel_side = [&](Index j) { return o.panel_side(j); };
  for_each_tile<most>(o.nrhs(), 0, [&](auto tile, Index column) {
    const TileRows<tile, T, Block, decltype(panel_side)> source(block, panel_side, {0, o.row_block.width},
                                                                column);
    const auto put_here = [&](Index i, Index r, T sum) { put(i, column + r, sum); };
    for (Index number = block.group; number < slabs_of(o.row_block); number += block.groups) {
      const Slab<S> slab = slab_of(o, number);
      if constexpr (by_tiles<Block, T, tile>) {
        multiply_slab_by_tiles(o, slab, block.warp(), source, put_here);
      } else {
        multiply_slab<tile>(o, slab, block, source, put_here);
      }
    }
  });
}

// Columns of the panel, times a tile of right-hand sides, whose rows are source(i): a lane has a row of each
// slab, a group some columns.
template <int tile, class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_columns(const Operands<S, T, most>& o, const Block& block,
                                             const Source& source, const Put& put) {
  for (Index j = block.group; j < o.row_block.width; j += block.groups) {
    T sum[tile] = {};
    for (Index number = 0; number < slabs_of(o.row_block); ++number) {
      const Slab<S> slab = slab_of(o, number);
      const S* const value = slab.value + usize(j) * usize(slab.ld);
      for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
        const T* const g = source(slab.first + i);
        const T factor = widened<T>(value[i]);
        for (int r = 0; r < tile; ++r) add_product(sum[r], factor, g[r], sign_of(o));
      }
    }
    unrolled<tile>([&](int r) {
      const T whole = block.sum_over_lanes(sum[r]);
      if (block.lane == 0) put(j, r, whole);
    });
  }
}

// The same by tiles: a group has as many columns as a tile.
template <class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_columns_by_tiles(const Operands<S, T, most>& o, const Block& block,
                                                      const Source& source, const Put& put) {
  const auto warp = block.warp();
  using Warp = std::remove_const_t<decltype(warp)>;
  for (Index first = block.group * tile_size; first < o.row_block.width; first += block.groups * tile_size) {
    TileSum<Warp, T> sum;
    for (Index number = 0; number < slabs_of(o.row_block); ++number) {
      const Slab<S> slab = slab_of(o, number);
      const auto is_row = [&](Index i) { return i >= slab.begin && i < slab.end; };
      for (Index above = slab.begin / tile_depth * tile_depth; above < slab.end; above += tile_depth) {
        typename Warp::template Register<T> a, b;
        warp.each([&](int lane) {
          const TilePlace of_a = place_in_a(lane), of_b = place_in_b(lane);
          const Index i = above + of_a.column, j = first + of_a.row;
          const bool is_in = is_row(i) && j < o.row_block.width;
          a[usize(lane)] = is_in ? widened<T>(slab.value[usize(j) * usize(slab.ld) + usize(i)]) : T{};
          b[usize(lane)] =
              is_row(above + of_b.row) ? source(slab.first + above + of_b.row)[of_b.column] : T{};
        });
        sum.add(warp, a, b, sign_of(o));
      }
    }
    warp.each([&](int lane) {
      for (int share = 0; share < tile_shares; ++share) {
        const TilePlace at = place_in_c(lane, share);
        if (first + at.row < o.row_block.width) put(first + at.row, at.column, sum.at(lane, share));
      }
    });
  }
}

// Calls put(j, column, sum) with sum = (P^T g)(j, column) for all columns j of the panel, where g(i) =
// rows(i).
template <class S, class T, int most, class Block, class Rows, class Put>
TRISWEEP_DEVICE inline void multiply_transposed(const Operands<S, T, most>& o, const Block& block,
                                                const Rows& rows, const Put& put) {
  for_each_tile<most>(o.nrhs(), 0, [&](auto tile, Index column) {
    const Range range{o.row_block.row_begin, o.row_block.row_end};
    const TileRows<tile, T, Block, Rows> source(block, rows, range, column);
    const auto put_here = [&](Index j, Index r, T sum) { put(j, column + r, sum); };
    if constexpr (by_tiles<Block, T, tile>) {
      multiply_columns_by_tiles(o, block, source, put_here);
    } else {
      multiply_columns<tile>(o, block, source, put_here);
    }
  });
}

template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void scatter(const Operands<S, T, most>& o, const Block& block) {
  multiply(o, block, [&](Index i, Index column, T sum) { o.row_side(i)[column] -= sum; });
}

template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void gather(const Operands<S, T, most>& o, const Block& block) {
  multiply_transposed(
      o, block, [&](Index i) { return o.row_side(i); },
      [&](Index j, Index column, T sum) { o.panel_side(j)[column] -= sum; });
}

// Of a square panel, by way of the scratch, whose first height x nrhs numbers this takes.
template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void multiply_in_place(Operands<S, T, most> o, bool by_rows, const Block& block) {
  T* const made = o.scratch();
  o.in_place = true;
  const auto keep = [&](Index i, Index column, T sum) {
    made[usize(i) * usize(o.nrhs()) + usize(column)] = sum;
  };
  if (by_rows) {
    multiply_transposed(
        o, block, [&](Index i) { return o.panel_side(i); }, keep);
  } else {
    multiply(o, block, keep);
  }
  block.sync();
  T* const to = o.panel_side(0);
  for_each(block, usize(o.row_block.width) * usize(o.nrhs()), [&](std::size_t i) { to[i] = made[i]; });
}

template <class S, class T, int most, class Block>
TRISWEEP_DEVICE inline void multiply(Multiply way, const Operands<S, T, most>& o, const Block& block) {
  switch (way) {
    case Multiply::scatter:
      return scatter(o, block);
    case Multiply::gather:
      return gather(o, block);
    default:
      return multiply_in_place(o, way == Multiply::in_place_by_rows, block);
  }
}

}  // namespace trisweep::device
