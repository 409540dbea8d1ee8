#pragma once
// Products with many right-hand sides: vectors run along the right-hand sides of a work row, and a tile of
// rows x vectors keeps its sums in registers while it goes through a slab. Bound by arithmetic. A complex
// number p times the row s is Re p s + Im p (J s) with J s = (-Im s, Re s), the product of two real numbers
// with two real rows; for conj(p) J has the other sign.

#include "trisweep/kernels/slab_part.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {

// to = J from, for n real numbers.
template <class R>
TRISWEEP_INLINE void rotate(const R* from, R sign, Index n, R* to) {
  for (Index i = 0; i < n; i += 2) {
    to[i] = -sign * from[i + 1];
    to[i + 1] = sign * from[i];
  }
}

// Calls tile(bytes, vectors, column) for tiles that cover columns [0, n): as wide as there are registers for,
// then narrower, down to single columns.
template <class R, int bytes = vector_bytes, class Tile>
TRISWEEP_INLINE void cover_columns(Index n, Index column, const Tile& tile) {
  constexpr int size = bytes / static_cast<int>(sizeof(R));
  if constexpr (bytes == vector_bytes) {
    for (; n - column >= column_tile * size; column += column_tile * size)
      tile(std::integral_constant<int, bytes>(), std::integral_constant<int, column_tile>(), column);
    if (n - column >= 2 * size) {
      tile(std::integral_constant<int, bytes>(), std::integral_constant<int, 2>(), column);
      column += 2 * size;
    }
  }
  if (n - column >= size) {
    tile(std::integral_constant<int, bytes>(), std::integral_constant<int, 1>(), column);
    column += size;
  }
  if constexpr (size > 1) {
    if (column < n) cover_columns<R, bytes / 2>(n, column, tile);
  }
}

// Calls tile(lines, first, count) for tiles of `lines` lines that cover lines [0, n): `count` of them exist.
template <class Tile>
TRISWEEP_INLINE void cover_lines(Index n, const Tile& tile) {
  constexpr int half = row_tile / 2;
  Index first = 0;
  for (; n - first > half; first += row_tile)
    tile(std::integral_constant<int, row_tile>(), first, n - first < row_tile ? n - first : row_tile);
  if (first < n) tile(std::integral_constant<int, half>(), first, n - first);
}

// The sums of one tile: `count` of its lines are wanted.
template <class R, int lines, int bytes, int vectors>
struct Tile {
  using V = Vector<R, bytes>;
  static constexpr int size = bytes / static_cast<int>(sizeof(R));
  V acc[lines][vectors] = {};

  // acc(line, :) += factor[line] row.
  template <class Factor>
  TRISWEEP_INLINE void add(const R* row, const Factor& factor) {
    V s[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) s[v] = load<V>(row + v * size);
#pragma GCC unroll 8
    for (int line = 0; line < lines; ++line) {
      const auto f = static_cast<R>(factor(line));
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) acc[line][v] += s[v] * f;
    }
  }

  // Combines acc(line, :) with row_of(line).
  template <Rows mode = Rows::subtract, class RowOf>
  TRISWEEP_INLINE void put(Index count, const RowOf& row_of) const {
#pragma GCC unroll 8
    for (int line = 0; line < lines; ++line) {
      if (line >= count) return;
      R* const row = row_of(line);
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v)
        store(row + v * size, combined<mode>(load<V>(row + v * size), acc[line][v]));
    }
  }
};

template <class S, Rows mode, Scalar T>
TRISWEEP_INLINE void multiply_many(const Product<T>& p) {
  using R = RealOf<T>;
  constexpr Index c = parts<T>;
  const Index n = p.nrhs * c;
  const R* source = reals(p.side);  // c rows for each column
  if constexpr (is_complex<T>) {
    R* const both = reals(p.scratch);
    for (Index j = 0; j < p.panel.width; ++j) {
      const R* const s = source + usize(j) * usize(n);
      for (Index i = 0; i < n; ++i) both[2 * usize(j) * usize(n) + usize(i)] = s[i];
      rotate(s, sign_of(p.panel), n, both + (2 * usize(j) + 1) * usize(n));
    }
    source = both;
  }
  ascend<S>(
      p.panel, [&](const auto& slab_part) __attribute__((always_inline)) {
        cover_lines(
            slab_part.rows, [&](auto lines, Index first, Index count) __attribute__((always_inline)) {
              // Lines beyond the last row read whatever is there, and are dropped at the end.
              const RealOf<S>* const value = slab_part.value + first * c;
              cover_columns<R>(
                  n, 0, [&](auto bytes, auto vectors, Index column) __attribute__((always_inline)) {
                    Tile<R, lines, bytes, vectors> tile;
                    const R* s = source + column;
                    for (Index j = 0; j < slab_part.width; ++j) {
                      const RealOf<S>* const entry = value + usize(j) * usize(slab_part.ld);
                      for (Index k = 0; k < c; ++k, s += n)
                        tile.add(
                            s, [&](int line) __attribute__((always_inline)) { return entry[line * c + k]; });
                    }
                    tile.template put<mode>(
                        count, [&](int line) __attribute__((always_inline)) {
                          return row_of<mode>(p, slab_part.first + first + line, n) + column;
                        });
                  });
            });
      });
}

template <class S, Scalar T>
TRISWEEP_INLINE void gather_many(const Product<T>& p) {
  using R = RealOf<T>;
  constexpr Index c = parts<T>;
  const Index n = p.nrhs * c;
  descend<S>(
      p.panel, [&](const auto& slab_part) __attribute__((always_inline)) {
        const R* from[c * slab_rows];  // c rows for each of the row block's
        for (Index i = 0; i < slab_part.rows; ++i) {
          from[c * i] = row_of(p, slab_part.first + i, n);
          if constexpr (is_complex<T>) {
            R* const rotated = reals(p.scratch) + usize(i) * usize(n);
            rotate(from[c * i], sign_of(p.panel), n, rotated);
            from[c * i + 1] = rotated;
          }
        }
        cover_lines(
            slab_part.width, [&](auto lines, Index first, Index count) __attribute__((always_inline)) {
              const RealOf<S>*
                  column_of[lines];  // lines behind the last column repeat it, and are left out at the end
              for (Index line = 0; line < lines; ++line)
                column_of[line] =
                    slab_part.value + usize(first + (line < count ? line : count - 1)) * usize(slab_part.ld);
              R* const side = reals(p.side) + usize(first) * usize(n);
              // The values before the row block are multiplied next: a gather goes backward in memory by
              // whole slabs, which the hardware prefetcher does not detect. Every step prefetches its share.
              const RealOf<S>* const before = column_of[0] - slab_part.ld * slab_part.width;
              cover_columns<R>(
                  n, 0, [&](auto bytes, auto vectors, Index column) __attribute__((always_inline)) {
                    Tile<R, lines, bytes, vectors> tile;
                    for (Index i = 0; i < slab_part.rows * c; ++i) {
                      if (column == 0) __builtin_prefetch(before + i * lines);
                      tile.add(
                          from[i] + column, [&](int line) __attribute__((always_inline)) {
                            return column_of[line][i];
                          });
                    }
                    tile.put(
                        count, [&](int line) __attribute__((always_inline)) {
                          return side + usize(line) * usize(n) + column;
                        });
                  });
            });
      });
}

}  // namespace trisweep::kernels::TRISWEEP_ISA
