#pragma once
// Products of a panel with work rows, by the threads of a block. Panels lie in slabs of 32 rows
// (core/slabs.hpp): what a block's lanes read side by side is one column of a slab.
//
// One right-hand side is bound by memory: every number of the panel is read once. Many are taken a tile at a
// time, whose sums are in registers; the tiles read the panel again, from the cache.

#include "trisweep/device/block.hpp"
#include "trisweep/device/program.hpp"

namespace trisweep::device {

// A strip of a panel of S, and work rows of T with `nrhs` right-hand sides.
template <class S, class T>
struct Operands {
  const S* value;
  const Index* position;
  T* row;
  Index nrhs;
  Strip strip;
  bool conjugate;

  TRISWEEP_DEVICE T* at(Index work_row) const { return row + usize(work_row) * usize(nrhs); }
  TRISWEEP_DEVICE T* row_side(Index i) const { return at(position[i - strip.row_begin]); }
  TRISWEEP_DEVICE T* panel_side(Index j) const { return at(strip.at + j); }
};

// The rows of one slab that belong to a strip.
template <class S>
struct Slab {
  const S* value;  // of row 0 of the slab
  Index ld;
  Index first;  // row of the panel
  Index begin;  // rows [begin, end) of the slab
  Index end;
};

template <class S, class T>
TRISWEEP_DEVICE inline Slab<S> slab_of(const Operands<S, T>& o, Index number) {
  const Strip& s = o.strip;
  const Index first = (s.row_begin / slab_rows + number) * slab_rows;
  const Index rows = s.height - first < slab_rows ? s.height - first : slab_rows;
  const Index last = s.row_end - first < rows ? s.row_end - first : rows;
  return {o.value + usize(first) * usize(s.width), rows, first, s.row_begin > first ? s.row_begin - first : 0,
          last};
}
TRISWEEP_DEVICE inline Index slabs_of(const Strip& s) {
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
inline constexpr int widest_tile = 8;

// Calls put(i, column, sum) with sum = (P s)(i, column) for all rows i of the strip: a lane has a row, a
// group a slab.
template <class S, class T, class Block, class Put>
TRISWEEP_DEVICE inline void multiply(const Operands<S, T>& o, const Block& block, const Put& put) {
  const RealPart<T> sign = o.conjugate ? RealPart<T>(-1) : RealPart<T>(1);
  for (Index number = block.group; number < slabs_of(o.strip); number += block.groups) {
    const Slab<S> slab = slab_of(o, number);
    for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
      for_each_tile<widest_tile>(o.nrhs, 0, [&](auto tile, Index column) {
        T sum[tile] = {};
        const S* value = slab.value + i;
        for (Index j = 0; j < o.strip.width; ++j, value += slab.ld) {
          const T* const source = o.panel_side(j) + column;
          const T factor = widened<T>(*value);
          for (int r = 0; r < tile; ++r) add_product(sum[r], factor, source[r], sign);
        }
        for (int r = 0; r < tile; ++r) put(slab.first + i, column + r, sum[r]);
      });
    }
  }
}

// Calls put(j, column, sum) with sum = (P^T g)(j, column) for all columns j of the panel, where g(i) =
// rows(i): a lane has a row of each slab, a group some columns.
template <class S, class T, class Block, class Rows, class Put>
TRISWEEP_DEVICE inline void multiply_transposed(const Operands<S, T>& o, const Block& block, const Rows& rows,
                                                const Put& put) {
  const RealPart<T> sign = o.conjugate ? RealPart<T>(-1) : RealPart<T>(1);
  for (Index j = block.group; j < o.strip.width; j += block.groups) {
    for_each_tile<widest_tile>(o.nrhs, 0, [&](auto tile, Index column) {
      T sum[tile] = {};
      for (Index number = 0; number < slabs_of(o.strip); ++number) {
        const Slab<S> slab = slab_of(o, number);
        const S* const value = slab.value + usize(j) * usize(slab.ld);
        for (Index i = slab.begin + block.lane; i < slab.end; i += block.lanes) {
          const T* const g = rows(slab.first + i) + column;
          const T factor = widened<T>(value[i]);
          for (int r = 0; r < tile; ++r) add_product(sum[r], factor, g[r], sign);
        }
      }
      for (int r = 0; r < tile; ++r) {
        const T whole = block.sum_over_lanes(sum[r]);
        if (block.lane == 0) put(j, column + r, whole);
      }
    });
  }
}

template <class S, class T, class Block>
TRISWEEP_DEVICE inline void scatter(const Operands<S, T>& o, const Block& block) {
  multiply(o, block, [&](Index i, Index column, T sum) { o.row_side(i)[column] -= sum; });
}

template <class S, class T, class Block>
TRISWEEP_DEVICE inline void gather(const Operands<S, T>& o, const Block& block) {
  multiply_transposed(
      o, block, [&](Index i) { return o.row_side(i); },
      [&](Index j, Index column, T sum) { o.panel_side(j)[column] -= sum; });
}

// Of a square panel, by way of `scratch`: height x nrhs.
template <class S, class T, class Block>
TRISWEEP_DEVICE inline void multiply_in_place(const Operands<S, T>& o, bool by_rows, T* scratch,
                                              const Block& block) {
  const auto keep = [&](Index i, Index column, T sum) {
    scratch[usize(i) * usize(o.nrhs) + usize(column)] = sum;
  };
  if (by_rows) {
    multiply_transposed(
        o, block, [&](Index i) { return o.panel_side(i); }, keep);
  } else {
    multiply(o, block, keep);
  }
  block.sync();
  T* const to = o.panel_side(0);
  for_each(block, usize(o.strip.width) * usize(o.nrhs), [&](std::size_t i) { to[i] = scratch[i]; });
}

}  // namespace trisweep::device
