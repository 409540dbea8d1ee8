#pragma once
// Products of a panel with work rows, by the threads of a block: with one right-hand side, or with many by
// tensor cores where available. Otherwise right-hand sides are taken a tile at a time, whose sums are in
// registers; each tile reads the panel again, from the cache.

#include "trisweep/device/products_of_many.hpp"
#include "trisweep/device/products_of_one.hpp"

namespace trisweep::device {

// Calls visit(constant tile, first column) for tiles that cover all right-hand sides.
template <int most, class Visit>
TRISWEEP_DEVICE inline void for_each_tile(Index nrhs, Index column, const Visit& visit) {
  for (; nrhs - column >= most; column += most) visit(std::integral_constant<int, most>(), column);
  if constexpr (most > 1) {
    if (column < nrhs) for_each_tile<most / 2>(nrhs, column, visit);
  }
}

// The columns of a tile in rows(begin) ... rows(end - 1), copied to shared memory where they fit. Constructed
// and used by all threads of a block.
template <int tile, class T, class Block, class Rows>
class TileRows {
 public:
  TRISWEEP_DEVICE TileRows(const Block& block, const Rows& rows, Range range, Index column)
      : rows_(rows), begin_(range.begin), column_(column) {
    const auto size = usize(range.end - range.begin) * usize(tile);
    if (tile == 1 || size * sizeof(T) > Block::tile_bytes) return;
    T* const copy = block.template tile<T>();
    block.sync();  // all threads have read the previous tile
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

// Rows of a slab times a tile of right-hand sides, whose rows are source(j): one row per lane.
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

// Calls put(i, column, sum) with sum = (P s)(i, column) for all rows i of the row block.
template <class S, class T, int most, class Block, class Put>
TRISWEEP_DEVICE inline void multiply(const Operands<S, T, most>& o, const Block& block, const Put& put) {
  const auto panel_side = [&](Index j) { return o.panel_side(j); };
  const Range range{0, o.row_block.width};
  if constexpr (most == 1) {
    with_rows<T>(block, panel_side, range,
                 [&](const auto& source) { multiply_slabs(o, block, source, put); });
  } else if constexpr (by_tiles<Block, T, most>) {
    multiply_slabs_by_tiles(o, block, panel_side, put);
  } else {
    for_each_tile<most>(o.nrhs(), 0, [&](auto tile, Index column) {
      const TileRows<tile, T, Block, decltype(panel_side)> source(block, panel_side, range, column);
      const auto put_here = [&](Index i, Index r, T sum) { put(i, column + r, sum); };
      for (Index number = block.group; number < slabs_of(o.row_block); number += block.groups)
        multiply_slab<tile>(o, slab_of(o, number), block, source, put_here);
    });
  }
}

// Columns of the panel times a tile of right-hand sides, whose rows are source(i): each group computes some
// columns, each lane reads one row of each slab.
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

// Calls put(j, column, sum) with sum = (P^T g)(j, column) for all columns j of the panel, where g(i) =
// rows(i).
template <class S, class T, int most, class Block, class Rows, class Put>
TRISWEEP_DEVICE inline void multiply_transposed(const Operands<S, T, most>& o, const Block& block,
                                                const Rows& rows, const Put& put) {
  const Range range{o.row_block.row_begin, o.row_block.row_end};
  if constexpr (most == 1) {
    with_rows<T>(block, rows, range,
                 [&](const auto& source) { multiply_columns_of_one(o, block, source, put); });
  } else if constexpr (by_tiles<Block, T, most>) {
    multiply_columns_by_tiles(o, block, rows, put);
  } else {
    for_each_tile<most>(o.nrhs(), 0, [&](auto tile, Index column) {
      const TileRows<tile, T, Block, Rows> source(block, rows, range, column);
      const auto put_here = [&](Index j, Index r, T sum) { put(j, column + r, sum); };
      multiply_columns<tile>(o, block, source, put_here);
    });
  }
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

// Product in place with a square panel, through the scratch, of which it takes the first height x nrhs
// values.
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
