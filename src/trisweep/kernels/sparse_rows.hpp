#pragma once
// The products of sparse_product.hpp. Included only by what is compiled once for each instruction set.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "trisweep/kernels/sparse_product.hpp"
#include "trisweep/kernels/strip.hpp"

namespace trisweep::kernels {

template <Scalar T>
inline constexpr int row_sums = is_complex<T> ? 2 : 1;  // of a product: by real and by imaginary parts of A

// Without a branch: signs are anybody's guess.
template <class V>
TRISWEEP_INLINE V magnitude(const V& v) {
  if constexpr (std::is_floating_point_v<V>)
    return std::fabs(v);
  else
    return v < 0 ? -v : v;
}

// What x is multiplied by in each of the sums of a product.
template <Scalar T>
TRISWEEP_INLINE std::array<RealOf<T>, row_sums<T>> weights_of(const RealOf<T>* entry, RealOf<T> sign) {
  if constexpr (is_complex<T>) return {entry[0], sign * entry[1]};
  return {entry[0]};
}
template <Scalar T>
TRISWEEP_INLINE RealOf<T> magnitude_of(const RealOf<T>* entry) {
  if constexpr (is_complex<T>) return magnitude(entry[0]) + magnitude(entry[1]);
  return magnitude(entry[0]);
}

// Adds the others to the first.
template <class V, int chains, int sums, int count>
TRISWEEP_INLINE void join_chains(V (&sum)[chains][sums][count]) {
#pragma GCC unroll 8
  for (int c = chains - 1; c > 0; --c) {
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
#pragma GCC unroll 2
      for (int s = 0; s < sums; ++s) sum[c / 2][s][k] += sum[c][s][k];
    }
  }
}

// Of the entries [p, end). Rows of x and of the sums are `bytes` wide; `chains` sums, of every so many-th
// entry, because each addition waits for the one before, and roundings add up less.
template <bool with_magnitudes, int bytes, int chains, Scalar T>
TRISWEEP_INLINE void sum_row(const SparseRows<T>& a, Offset p, Offset end, const T* x, T* product,
                             T* magnitudes) {
  using R = RealOf<T>;
  using V = Vector<R, std::min(bytes, vector_bytes)>;
  constexpr int count = bytes / static_cast<int>(sizeof(V));
  constexpr int step = static_cast<int>(sizeof(V) / sizeof(R));
  constexpr int width = bytes / static_cast<int>(sizeof(R));
  constexpr int sums = row_sums<T>;
  const R sign = a.conjugate ? R(-1) : R(1);
  V sum[chains][sums][count] = {}, size[chains][1][count] = {};
  const auto add = [&](Offset at, V(&to)[sums][count], V(&to_size)[1][count]) __attribute__((always_inline)) {
    const auto weight = weights_of<T>(reals(a.value + at), sign);
    const R* const row = reals(x) + usize(a.col[at]) * usize(width);
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      const V v = load<V>(row + k * step);
      if constexpr (with_magnitudes && width == 1) {  // fewer instructions: these are what limits it
        const V term = weight[0] * v;
        to[0][k] += term;
        to_size[0][k] += magnitude(term);
      } else {
#pragma GCC unroll 2
        for (int s = 0; s < sums; ++s) to[s][k] += weight[s] * v;
        if constexpr (with_magnitudes) to_size[0][k] += magnitude_of<T>(reals(a.value + at)) * magnitude(v);
      }
    }
  };
  for (; p + chains <= end; p += chains) {
#pragma GCC unroll 8
    for (int c = 0; c < chains; ++c) add(p + c, sum[c], size[c]);
  }
  for (; p < end; ++p) add(p, sum[0], size[0]);
  join_chains(sum);
  R turned[width];
#pragma GCC unroll 8
  for (int k = 0; k < count; ++k) {
    store(reals(product) + k * step, sum[0][0][k]);
    if constexpr (sums == 2) store(turned + k * step, sum[0][1][k]);
  }
  if constexpr (is_complex<T>) {
    R* const to = reals(product);
    for (int k = 0; k < width; k += 2) {
      to[k] -= turned[k + 1];
      to[k + 1] += turned[k];
    }
  }
  if constexpr (with_magnitudes) {
    join_chains(size);
    R* const to = reals(magnitudes);
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) store(to + k * step, size[0][0][k]);
    if constexpr (is_complex<T>) {
      for (int k = 0; k < width; k += 2) {
        to[k] += to[k + 1];
        to[k + 1] = 0;
      }
    }
  }
}

// `magnitudes` null: not wanted. Short rows have few chains, whose sums would take longer than what they are
// of.
template <bool with_magnitudes, int bytes, Scalar T>
TRISWEEP_INLINE void sum_rows(const SparseRows<T>& a, const T* x, T* product, T* magnitudes) {
  constexpr int vectors = std::max(1, bytes / vector_bytes) * (row_sums<T> + (with_magnitudes ? 1 : 0));
  constexpr int chains = std::clamp(8 / vectors, 1, 4), few = std::min(chains, 2);
  constexpr std::size_t width = usize(bytes) / sizeof(T);
  constexpr Offset is_short = 16;
  for (Index i = 0; i < a.rows; ++i) {
    const Offset begin = a.row_ptr[i], end = a.row_ptr[i + 1];
    T* const to = product + usize(i) * width;
    T* const to_size = with_magnitudes ? magnitudes + usize(i) * width : nullptr;
    if (end - begin < is_short)
      sum_row<with_magnitudes, bytes, few>(a, begin, end, x, to, to_size);
    else
      sum_row<with_magnitudes, bytes, chains>(a, begin, end, x, to, to_size);
  }
}

// |z| of consecutive entries, as many as V has lanes.
template <class V, Scalar T>
TRISWEEP_INLINE V sizes_of(const T* v) {
  using R = RealOf<T>;
  if constexpr (!is_complex<T>) return magnitude(load<V>(v));
  constexpr int lanes = sizeof(V) / sizeof(R);
  R sizes[lanes];
  for (int k = 0; k < lanes; ++k) sizes[k] = magnitude(reals(v)[2 * k]) + magnitude(reals(v)[2 * k + 1]);
  return load<V>(sizes);
}

template <class V>
TRISWEEP_INLINE void raise(V& most, const V& v) {
  most = v > most ? v : most;
}

// The lanes [at, at + lanes of V) of lines of line_rows<T> entries: rows of a bundle, or (`width` 1)
// consecutive entries of one vector. Comparing |r| with the largest quotient times the denominator saves the
// divisions of all but a few lines.
template <int width, class V, Scalar T>
TRISWEEP_INLINE void take_lanes(const ResidualRows<T>& v, std::size_t lines, std::size_t at,
                                ResidualMaxima<T>& maxima) {
  using R = RealOf<T>;
  constexpr std::size_t together = 8, lanes = sizeof(V) / sizeof(R), line_entries = usize(line_rows<T>);
  V quotient = load<V>(&maxima.quotient[at]), x = load<V>(&maxima.x[at]),
    scaled_x = load<V>(&maxima.scaled_x[at]), residual = load<V>(&maxima.residual[at]),
    b = load<V>(&maxima.b[at]), least = load<V>(&maxima.least[at]), spoilt = load<V>(&maxima.spoilt[at]);
  for (std::size_t first = 0; first < lines; first += together) {
    const std::size_t last = std::min(first + together, lines);
    V r[together], d[together];
    auto larger = quotient > quotient;
    for (std::size_t line = first; line < last; ++line) {
      const std::size_t e = line * line_entries + at;
      T* const rest = v.residual + e;
      for (std::size_t k = 0; k < lanes; ++k) rest[k] = v.b[e + k] - rest[k];
      const V size_of_x = sizes_of<V>(v.x + e), size_of_b = sizes_of<V>(v.b + e);
      r[line - first] = sizes_of<V>(rest);
      d[line - first] = sizes_of<V>(v.magnitude + e) + size_of_b;
      larger |= r[line - first] > quotient * d[line - first];
      raise(x, size_of_x);
      if constexpr (width == 1) {
        raise(scaled_x, size_of_x * load<V>(v.unknown + e));
        raise(least, -d[line - first] * load<V>(v.weight + e));
      } else {
        raise(scaled_x, size_of_x * v.unknown[line]);
        raise(least, -d[line - first] * v.weight[line]);
      }
      raise(residual, r[line - first]);
      raise(b, size_of_b);
      spoilt += d[line - first] * R(0);
    }
    bool any = false;
    for (std::size_t k = 0; k < lanes; ++k) any |= larger[k] != 0;
    for (std::size_t line = first; any && line < last; ++line)
      raise(quotient, r[line - first] / d[line - first]);
  }
  store(&maxima.quotient[at], quotient);
  store(&maxima.x[at], x);
  store(&maxima.scaled_x[at], scaled_x);
  store(&maxima.residual[at], residual);
  store(&maxima.b[at], b);
  store(&maxima.least[at], least);
  store(&maxima.spoilt[at], spoilt);
}

template <int width, Scalar T>
TRISWEEP_INLINE void take_lines(const ResidualRows<T>& v, std::size_t lines, ResidualMaxima<T>& maxima) {
  constexpr int line_bytes = static_cast<int>(sizeof(RealOf<T>)) * line_rows<T>;
  using V = Vector<RealOf<T>, std::min(vector_bytes, line_bytes)>;
  constexpr std::size_t step = sizeof(V) / sizeof(RealOf<T>);
  for (std::size_t at = 0; at < usize(line_rows<T>); at += step) take_lanes<width, V>(v, lines, at, maxima);
}

// The last entries of one vector, that fill no line, with zeros behind them.
template <Scalar T>
TRISWEEP_INLINE void take_rest(const ResidualRows<T>& v, std::size_t begin, ResidualMaxima<T>& maxima) {
  constexpr std::size_t lanes = usize(line_rows<T>);
  T x[lanes]{}, b[lanes]{}, residual[lanes]{}, magnitude[lanes]{};
  RealOf<T> unknown[lanes]{}, weight[lanes];
  std::fill_n(weight, lanes, std::numeric_limits<RealOf<T>>::max());  // nothing is less than that
  const std::size_t count = usize(v.rows) - begin;
  std::copy_n(v.x + begin, count, x);
  std::copy_n(v.b + begin, count, b);
  std::copy_n(v.residual + begin, count, residual);
  std::fill_n(magnitude, lanes, T(1));
  std::copy_n(v.magnitude + begin, count, magnitude);
  std::copy_n(v.unknown + begin, count, unknown);
  std::copy_n(v.weight + begin, count, weight);
  take_lines<1, T>({line_rows<T>, 1, x, b, residual, magnitude, unknown, weight}, 1, maxima);
  std::copy_n(residual, count, v.residual + begin);
}

template <Scalar T>
TRISWEEP_INLINE void take_maxima(const ResidualRows<T>& v, ResidualMaxima<T>& maxima) {
  constexpr std::size_t lanes = usize(line_rows<T>);
  if (v.width != 1) return take_lines<line_rows<T>>(v, usize(v.rows), maxima);
  const std::size_t lines = usize(v.rows) / lanes;
  if (lines > 0) take_lines<1>(v, lines, maxima);
  if (lines * lanes < usize(v.rows)) take_rest(v, lines * lanes, maxima);
}

}  // namespace trisweep::kernels
