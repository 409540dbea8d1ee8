#pragma once
// Products with one to four real right-hand sides: vectors run along the rows of a slab, so that every value
// of the panel is read once, in memory order, and no arithmetic waits for a broadcast. Bound by memory.

#include "trisweep/kernels/positions.hpp"
#include "trisweep/kernels/slab_part.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {

inline constexpr int few_columns = 4;    // largest number of real right-hand sides
inline constexpr int chunk_vectors = 4;  // along the rows, with sums in registers

template <class R>
inline constexpr int chunk_rows = chunk_vectors* lanes<R>;

// sum[r] = P s(:, r), for `vectors` vectors of rows. Rows beyond the row block's last are computed from
// whatever follows in memory: the next column, or the slack of a buffer.
template <int vectors, int n, class S, class R>
TRISWEEP_INLINE void multiply_chunk(const SlabPart<S>& p, const R* s, R (*sum)[chunk_rows<R>]) {
  // Two columns at a time where one column would make additions wait for each other.
  constexpr int together = vectors * n <= 4 ? 2 : 1;
  Vector<R> acc[together][n][vectors] = {};
  const auto add = [&](Index j, int set) __attribute__((always_inline)) {
    const S* const column = p.value + usize(j) * usize(p.ld);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const auto value = load_as<R>(column + v * lanes<R>);
#pragma GCC unroll 4
      for (int r = 0; r < n; ++r) acc[set][r][v] += value * s[usize(j) * n + usize(r)];
    }
  };
  Index j = 0;
  for (; j + together <= p.width; j += together) {
#pragma GCC unroll 2
    for (int set = 0; set < together; ++set) add(j + set, set);
  }
  if (j < p.width) add(j, 0);
#pragma GCC unroll 4
  for (int r = 0; r < n; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
      store(sum[r] + v * lanes<R>, together == 2 ? acc[0][r][v] + acc[together - 1][r][v] : acc[0][r][v]);
  }
}

// Combines the sums with their rows. For a complex product a = (Re p, Im p) Re s and b = (Re p, Im p) Im s:
// p s = (a.re - b.im, b.re + a.im), and conj(p) s has the other signs.
template <Rows mode, int n, Scalar T>
TRISWEEP_INLINE void put_rows(const Product<T>& p, Index first, Index rows,
                              const RealOf<T> (*sum)[chunk_rows<RealOf<T>>]) {
  if constexpr (is_complex<T>) {
    const RealOf<T> sign = sign_of(p.panel);
    for (Index i = 0; i < rows; ++i) {
      RealOf<T>* const row = row_of<mode>(p, first + i, n);
      for (int r = 0; r < n; r += 2) {
        row[r] = combined<mode>(row[r], sum[r][2 * i] - sign * sum[r + 1][2 * i + 1]);
        row[r + 1] = combined<mode>(row[r + 1], sum[r + 1][2 * i] + sign * sum[r][2 * i + 1]);
      }
    }
  } else {
    for (Index i = 0; i < rows; ++i) {
      T* const row = row_of<mode>(p, first + i, n);
      for (int r = 0; r < n; ++r) row[r] = combined<mode>(row[r], sum[r][i]);
    }
  }
}

template <class S, Rows mode, int n, Scalar T>
TRISWEEP_INLINE void multiply_few(const Product<T>& p) {
  using R = RealOf<T>;
  constexpr Index step = chunk_rows<R> / parts<T>;
  ascend<S>(
      p.panel, [&](const auto& slab_part) __attribute__((always_inline)) {
        for (Index i = 0; i < slab_part.rows; i += step) {
          const Index rows = slab_part.rows - i < step ? slab_part.rows - i : step;
          auto chunk = slab_part;
          chunk.value += i * parts<T>;
          // Backward sweeps do not gain by prefetching.
          if constexpr (mode == Rows::subtract)
            fetch_positions(p.panel.position + (slab_part.first + i) + positions_ahead, step);
          R sum[n][chunk_rows<R>];
          switch ((rows * parts<T> - 1) / lanes<R>) {
            case 0:
              multiply_chunk<1, n>(chunk, reals(p.side), sum);
              break;
            case 1:
              multiply_chunk<2, n>(chunk, reals(p.side), sum);
              break;
            case 2:
              multiply_chunk<3, n>(chunk, reals(p.side), sum);
              break;
            default:
              multiply_chunk<4, n>(chunk, reals(p.side), sum);
          }
          put_rows<mode, n>(p, slab_part.first + i, rows, sum);
        }
      });
}

// side(j, r) -= sum_i P(i, j) g(i, r), from the last column to the first.
template <int vectors, int n, class S, class R>
TRISWEEP_INLINE void multiply_transposed_chunk(const SlabPart<S>& p, const R (*g)[chunk_rows<R>], R* side) {
  Vector<R> factor[n][vectors];
#pragma GCC unroll 4
  for (int r = 0; r < n; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) factor[r][v] = load<Vector<R>>(g[r] + v * lanes<R>);
  }
  for (Index j = p.width; j-- > 0;) {
    const S* const column = p.value + usize(j) * usize(p.ld);
    Vector<R> acc[n] = {};
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const auto value = load_as<R>(column + v * lanes<R>);
#pragma GCC unroll 4
      for (int r = 0; r < n; ++r) acc[r] += value * factor[r][v];
    }
#pragma GCC unroll 4
    for (int r = 0; r < n; ++r) side[usize(j) * n + usize(r)] -= sum_of<R>(acc[r]);
  }
}

// The work rows as factors of the panel's real rows, zero beyond the last. For a complex row g and right-hand
// side: (Re g, -Im g), which the real parts of p g need, and (Im g, Re g); for conj(p) the other signs.
template <int n, Scalar T>
TRISWEEP_INLINE void gather_rows(const Product<T>& p, Index first, Index rows,
                                 RealOf<T> (*g)[chunk_rows<RealOf<T>>]) {
  for (Index i = 0; i < rows; ++i) {
    const RealOf<T>* const row = row_of(p, first + i, n);
    if constexpr (is_complex<T>) {
      const RealOf<T> sign = sign_of(p.panel);
      for (int r = 0; r < n; r += 2) {
        g[r][2 * i] = row[r];
        g[r][2 * i + 1] = -sign * row[r + 1];
        g[r + 1][2 * i] = row[r + 1];
        g[r + 1][2 * i + 1] = sign * row[r];
      }
    } else {
      for (int r = 0; r < n; ++r) g[r][i] = row[r];
    }
  }
}

template <class S, int n, Scalar T>
TRISWEEP_INLINE void gather_few(const Product<T>& p) {
  using R = RealOf<T>;
  constexpr Index step = chunk_rows<R> / parts<T>;
  descend<S>(
      p.panel, [&](const auto& slab_part) __attribute__((always_inline)) {
        for (Index i = (slab_part.rows - 1) / step * step; i >= 0; i -= step) {
          const Index rows = slab_part.rows - i < step ? slab_part.rows - i : step;
          auto chunk = slab_part;
          chunk.value += i * parts<T>;
          R g[n][chunk_rows<R>] = {};
          gather_rows<n>(p, slab_part.first + i, rows, g);
          switch ((rows * parts<T> - 1) / lanes<R>) {
            case 0:
              multiply_transposed_chunk<1, n>(chunk, g, reals(p.side));
              break;
            case 1:
              multiply_transposed_chunk<2, n>(chunk, g, reals(p.side));
              break;
            case 2:
              multiply_transposed_chunk<3, n>(chunk, g, reals(p.side));
              break;
            default:
              multiply_transposed_chunk<4, n>(chunk, g, reals(p.side));
          }
        }
      });
}

}  // namespace trisweep::kernels::TRISWEEP_ISA
