#pragma once
// Products with many right-hand sides by tiles (tile_product.hpp), for blocks that can multiply them, by
// tensor cores. Sums are in registers; further right-hand sides read the panel again, from the cache.

#include "trisweep/device/operands.hpp"

namespace trisweep::device {

// True if products of T with several right-hand sides are computed by tiles.
template <class Block, class T, int columns>
inline constexpr bool by_tiles = columns == tile_size&& Block::template multiplies_tiles<T>;

// Number of tiles of right-hand sides whose sums a group keeps at a time.
template <class T>
inline constexpr int tiles_at_once = sizeof(T) == sizeof(double) ? 2 : 1;

// Calls visit(t, r, place, sum) for each lane's entries of sum[r][t].
template <class Warp, class Sum, int columns, int rows, class Visit>
TRISWEEP_DEVICE_INLINE void for_each_sum(const Warp& warp, Sum (&sum)[columns][rows], const Visit& visit) {
  unrolled<columns>([&](int r) {
    unrolled<rows>([&](int t) {
      warp.each([&](int lane) {
        for (int share = 0; share < tile_shares; ++share)
          visit(t, r, place_in_c(lane, share), sum[r][t].at(lane, share));
      });
    });
  });
}

// Rows of all slabs: each group computes a slab, or a part of it, for some of the right-hand sides.
template <class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_slabs_by_tiles(const Operands<S, T, most>& o, const Block& block,
                                                    const Source& source, const Put& put) {
  constexpr int beside = tiles_at_once<T>, tiles = 2 * beside, parts = slab_rows / (tiles * tile_size);
  const auto warp = block.warp();
  using Warp = std::remove_const_t<decltype(warp)>;
  const Index slabs = slabs_of(o.row_block), width = o.row_block.width;
  const Index turns = parts * slabs * ((o.nrhs() + beside * tile_size - 1) / (beside * tile_size));
  for (Index turn = block.group; turn < turns; turn += block.groups) {
    const Slab<S> slab = slab_of(o, turn / parts % slabs);
    const Index above = turn % parts * (tiles * tile_size),
                column = turn / parts / slabs * (beside * tile_size);
    const auto is_row = [&](Index i) { return i >= slab.begin && i < slab.end; };
    TileSum<Warp, T> sum[beside][tiles];
    for (Index first = 0; first < width; first += tile_depth) {
      typename Warp::template Register<T> a, b[beside];
      unrolled<beside>([&](int r) {
        warp.each([&](int lane) {
          const TilePlace at = place_in_b(lane);
          const Index c = column + r * tile_size + at.column;
          b[r][usize(lane)] = first + at.row < width && c < o.nrhs() ? source(first + at.row)[c] : T{};
        });
      });
      unrolled<tiles>([&](int t) {
        warp.each([&](int lane) {
          const TilePlace at = place_in_a(lane);
          const Index i = above + t * tile_size + at.row, j = first + at.column;
          const bool is_in = is_row(i) && j < width;
          a[usize(lane)] = is_in ? widened<T>(slab.value[usize(j) * usize(slab.ld) + usize(i)]) : T{};
        });
        unrolled<beside>([&](int r) { sum[r][t].add(warp, a, b[r], sign_of(o)); });
      });
    }
    for_each_sum(warp, sum, [&](int t, int r, TilePlace at, T of_lane) {
      const Index i = above + t * tile_size + at.row, c = column + r * tile_size + at.column;
      if (is_row(i) && c < o.nrhs()) put(slab.first + i, c, of_lane);
    });
  }
}

// Columns of the panel: each group computes some of them, for some of the right-hand sides.
template <class S, class T, int most, class Block, class Source, class Put>
TRISWEEP_DEVICE inline void multiply_columns_by_tiles(const Operands<S, T, most>& o, const Block& block,
                                                      const Source& source, const Put& put) {
  constexpr int beside = tiles_at_once<T>;
  const auto warp = block.warp();
  using Warp = std::remove_const_t<decltype(warp)>;
  const Index width = o.row_block.width, parts = (width + beside * tile_size - 1) / (beside * tile_size);
  const Index turns = parts * ((o.nrhs() + beside * tile_size - 1) / (beside * tile_size));
  for (Index turn = block.group; turn < turns; turn += block.groups) {
    const Index first = turn % parts * (beside * tile_size), column = turn / parts * (beside * tile_size);
    TileSum<Warp, T> sum[beside][beside];
    for (Index number = 0; number < slabs_of(o.row_block); ++number) {
      const Slab<S> slab = slab_of(o, number);
      const auto is_row = [&](Index i) { return i >= slab.begin && i < slab.end; };
      for (Index above = slab.begin / tile_depth * tile_depth; above < slab.end; above += tile_depth) {
        typename Warp::template Register<T> a[beside], b[beside];
        unrolled<beside>([&](int r) {
          warp.each([&](int lane) {
            const TilePlace of_a = place_in_a(lane), of_b = place_in_b(lane);
            const Index i = above + of_a.column, j = first + r * tile_size + of_a.row;
            const bool is_in = is_row(i) && j < width;
            a[r][usize(lane)] = is_in ? widened<T>(slab.value[usize(j) * usize(slab.ld) + usize(i)]) : T{};
            const Index c = column + r * tile_size + of_b.column;
            b[r][usize(lane)] =
                is_row(above + of_b.row) && c < o.nrhs() ? source(slab.first + above + of_b.row)[c] : T{};
          });
        });
        unrolled<beside>(
            [&](int r) { unrolled<beside>([&](int t) { sum[r][t].add(warp, a[t], b[r], sign_of(o)); }); });
      }
    }
    for_each_sum(warp, sum, [&](int t, int r, TilePlace at, T of_lane) {
      const Index j = first + t * tile_size + at.row, c = column + r * tile_size + at.column;
      if (j < width && c < o.nrhs()) put(j, c, of_lane);
    });
  }
}

}  // namespace trisweep::device
