#pragma once
// The products of sparse_product.hpp. Included only in sources that are compiled once for each instruction
// set.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "trisweep/kernels/slab_part.hpp"
#include "trisweep/kernels/sparse_product.hpp"

namespace trisweep::kernels::TRISWEEP_ISA {

template <Scalar T>
inline constexpr int row_sums = is_complex<T> ? 2 : 1;  // separate sums with real and imaginary parts of A

// Branch-free, since signs are unpredictable.
template <class V>
TRISWEEP_INLINE V magnitude(const V& v) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::fabs(v);
  } else {
    using Bits = decltype(v < v);
    return (V)((Bits)v & ~(Bits)(-V{}));
  }
}

// Exchanges real and imaginary parts, which alternate in `v`.
template <class V, std::size_t... i>
TRISWEEP_INLINE V exchanged_parts(const V& v, std::index_sequence<i...>) {
  return __builtin_shufflevector(v, v, (i ^ 1)...);
}
template <class V>
TRISWEEP_INLINE V exchanged_parts(const V& v) {
  return exchanged_parts(v, std::make_index_sequence<sizeof(V) / sizeof(v[0])>());
}
// (first, second, first, ...).
template <class V, class R>
TRISWEEP_INLINE V alternating(R first, R second) {
  V v;
  for (std::size_t k = 0; k < sizeof(V) / sizeof(R); ++k) v[k] = k % 2 == 0 ? first : second;
  return v;
}

// Factors of x in each of the sums of a product.
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

// Adds all chains to the first.
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

// Sums the entries [p, end) of a row. Rows of x and of the sums are `bytes` wide. The entries are dealt out
// to `chains` sums, because each addition waits for the previous one, and rounding errors are smaller.
template <bool with_magnitudes, int bytes, int chains, Scalar T>
TRISWEEP_INLINE void sum_row(const SparseRows<T>& a, Offset p, Offset end, const RowProducts<T>& to) {
  using R = RealOf<T>;
  using V = Vector<R, std::min(bytes, vector_bytes)>;
  constexpr int count = bytes / static_cast<int>(sizeof(V));
  constexpr int step = static_cast<int>(sizeof(V) / sizeof(R));
  constexpr int sums = row_sums<T>;
  constexpr bool alone = bytes == sizeof(T);
  const R sign = a.conjugate ? R(-1) : R(1);
  V sum[chains][sums][count] = {}, size[chains][1][count] = {};
  const auto add = [&](Offset at, V(&total)[sums][count], V(&total_size)[1][count])
      __attribute__((always_inline)) {
    const auto weight = weights_of<T>(reals(a.value + at), sign);
    const R* const row = reals(to.x + a.col[at] * (alone ? 1 : to.ld));
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      const V v = load<V>(row + k * step);
      if constexpr (with_magnitudes && alone && sums == 1) {  // fewer instructions, which are the bottleneck
        const V term = weight[0] * v;
        total[0][k] += term;
        total_size[0][k] += magnitude(term);
      } else {
#pragma GCC unroll 2
        for (int s = 0; s < sums; ++s) total[s][k] += weight[s] * v;
        if constexpr (with_magnitudes)
          total_size[0][k] += magnitude_of<T>(reals(a.value + at)) * magnitude(v);
      }
    }
  };
  for (; p + chains <= end; p += chains) {
#pragma GCC unroll 8
    for (int c = 0; c < chains; ++c) add(p + c, sum[c], size[c]);
  }
  for (; p < end; ++p) add(p, sum[0], size[0]);
  join_chains(sum);
  join_chains(size);
#pragma GCC unroll 8
  for (int k = 0; k < count; ++k) {
    V product = sum[0][0][k], bound = size[0][0][k];
    if constexpr (is_complex<T>) {
      product += exchanged_parts(sum[0][1][k]) * alternating<V>(R(-1), R(1));
      bound = (bound + exchanged_parts(bound)) * alternating<V>(R(1), R(0));
    }
    store(reals(to.product) + k * step, product);
    if constexpr (with_magnitudes) store(reals(to.magnitude) + k * step, bound);
  }
}

// The same for one real vector, several entries at a time.
template <bool with_magnitudes, Scalar T>
TRISWEEP_INLINE void sum_long_row(const SparseRows<T>& a, Offset p, Offset end, const RowProducts<T>& to) {
  constexpr int bytes = std::min(4 * static_cast<int>(sizeof(T)), vector_bytes), chains = 2;
  constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  using V = Vector<T, bytes>;
  V sum[chains] = {}, size[chains] = {};
  const auto add = [&](Offset at, int chain) __attribute__((always_inline)) {
    V x;
#pragma GCC unroll 4
    for (int k = 0; k < lanes; ++k) x[k] = to.x[a.col[at + k]];
    const V term = load<V>(a.value + at) * x;
    sum[chain] += term;
    if constexpr (with_magnitudes) size[chain] += magnitude(term);
  };
  for (; p + chains * lanes <= end; p += chains * lanes) {
    add(p, 0);
    add(p + lanes, 1);
  }
  if (p + lanes <= end) {
    add(p, 0);
    p += lanes;
  }
  T product = sum_of<T, bytes>(sum[0] + sum[1]), bound = sum_of<T, bytes>(size[0] + size[1]);
  for (; p < end; ++p) {
    const T term = a.value[p] * to.x[a.col[p]];
    product += term;
    bound += magnitude(term);
  }
  *to.product = product;
  if constexpr (with_magnitudes) *to.magnitude = bound;
}

// Products of every row, `bytes` wide. Short rows have one chain: joining several would take longer than the
// sum.
template <bool with_magnitudes, int bytes, Scalar T>
TRISWEEP_INLINE void sum_columns(const SparseRows<T>& a, RowProducts<T> to) {
  constexpr int vectors = std::max(1, bytes / vector_bytes) * (row_sums<T> + (with_magnitudes ? 1 : 0));
  constexpr int chains = std::clamp(8 / vectors, 1, 4);
  constexpr Offset is_short = 16;
  for (Index i = 0; i < a.rows; ++i) {
    const Offset begin = a.row_ptr[i], end = a.row_ptr[i + 1];
    if (end - begin < is_short) {
      sum_row<with_magnitudes, bytes, 1>(a, begin, end, to);
    } else if constexpr (bytes == sizeof(T) && !is_complex<T>) {
      sum_long_row<with_magnitudes>(a, begin, end, to);
    } else {
      sum_row<with_magnitudes, bytes, chains>(a, begin, end, to);
    }
    to.product += to.width;
    if constexpr (with_magnitudes) to.magnitude += to.width;
  }
}

// Takes as many lines at once as there are registers for their sums.
template <bool with_magnitudes, Scalar T>
TRISWEEP_INLINE void sum_rows(const SparseRows<T>& a, RowProducts<T> to) {
  constexpr int line = line_rows<T>, line_bytes = static_cast<int>(sizeof(T)) * line;
  constexpr Index most = std::max(1, vector_bytes / 16 / row_sums<T>);
  if (to.width == 1) return sum_columns<with_magnitudes, sizeof(T)>(a, to);
  const Index lines = to.width / line;
  for (Index first = 0; first < lines; first += most) {
    switch (std::min(most, lines - first)) {
      case 1:
        sum_columns<with_magnitudes, line_bytes>(a, to);
        break;
      case 2:
        if constexpr (most >= 2) sum_columns<with_magnitudes, 2 * line_bytes>(a, to);
        break;
      case 3:
        if constexpr (most >= 4) sum_columns<with_magnitudes, 3 * line_bytes>(a, to);
        break;
      default:
        if constexpr (most >= 4) sum_columns<with_magnitudes, 4 * line_bytes>(a, to);
    }
    to.x += most * line;
    to.product += most * line;
    if constexpr (with_magnitudes) to.magnitude += most * line;
  }
}

// |z| of the numbers z whose parts are in `v`: one vector for real numbers, two for complex ones.
template <class V, std::size_t... i>
TRISWEEP_INLINE V sum_of_parts(const V& a, const V& b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, (2 * i)...) + __builtin_shufflevector(a, b, (2 * i + 1)...);
}
template <Scalar T, class V>
TRISWEEP_INLINE V sizes_of(const V (&v)[row_sums<T>]) {
  if constexpr (is_complex<T>)
    return sum_of_parts(magnitude(v[0]), magnitude(v[1]),
                        std::make_index_sequence<sizeof(V) / sizeof(RealOf<T>)>());
  else
    return magnitude(v[0]);
}
template <class V, Scalar T>
TRISWEEP_INLINE V sizes_at(const T* from) {
  V v[row_sums<T>];
  for (int part = 0; part < row_sums<T>; ++part)
    v[part] = load<V>(reals(from) + part * static_cast<int>(sizeof(V) / sizeof(RealOf<T>)));
  return sizes_of<T>(v);
}

template <class V>
TRISWEEP_INLINE void raise(V& most, const V& v) {
  most = v > most ? v : most;
}

// residual = b - residual, for as many numbers as V has lanes. Returns their magnitudes.
template <class V, Scalar T>
TRISWEEP_INLINE V subtract_from(const T* b, T* residual) {
  constexpr int lanes = sizeof(V) / sizeof(RealOf<T>);
  V rest[row_sums<T>];
  for (int part = 0; part < row_sums<T>; ++part) {
    RealOf<T>* const to = reals(residual) + part * lanes;
    rest[part] = load<V>(reals(b) + part * lanes) - load<V>(to);
    store(to, rest[part]);
  }
  return sizes_of<T>(rest);
}

// Updates the maxima of as many lanes as V has, from `at` on: of line_rows<T> columns of every row, or
// (`alone`) of lines of consecutive entries of one vector. Comparing |r| with the largest quotient times the
// denominator avoids the divisions of all but a few lines.
template <bool alone, class V, Scalar T>
TRISWEEP_INLINE void take_lanes(const ResidualRows<T>& v, std::size_t lines, std::size_t at,
                                ResidualMaxima<T>& maxima) {
  using R = RealOf<T>;
  constexpr std::size_t together = 8, lanes = sizeof(V) / sizeof(R), line_entries = usize(line_rows<T>);
  const std::size_t x_step = alone ? line_entries : usize(v.x_ld),
                    step = alone ? line_entries : usize(v.width),
                    b_step = alone ? line_entries : usize(v.b_ld);
  V quotient = load<V>(&maxima.quotient[at]), x = load<V>(&maxima.x[at]),
    scaled_x = load<V>(&maxima.scaled_x[at]), residual = load<V>(&maxima.residual[at]),
    b = load<V>(&maxima.b[at]), least = load<V>(&maxima.least[at]), spoilt = load<V>(&maxima.spoilt[at]);
  for (std::size_t first = 0; first < lines; first += together) {
    const std::size_t last = std::min(first + together, lines);
    V r[together], d[together];
    auto larger = quotient > quotient;
    for (std::size_t line = first; line < last; ++line) {
      const T* const right = v.b + line * b_step + at;
      if constexpr (!alone) __builtin_prefetch(right + lines * b_step);  // measured next
      const V size = subtract_from<V>(right, v.residual + line * step + at), size_of_b = sizes_at<V>(right),
              size_of_x = sizes_at<V>(v.x + line * x_step + at),
              bound = sizes_at<V>(v.magnitude + line * step + at) + size_of_b;
      r[line - first] = size;
      d[line - first] = bound;
      larger |= size > quotient * bound;
      raise(x, size_of_x);
      if constexpr (alone) {
        raise(scaled_x, size_of_x * load<V>(v.unknown + line * step + at));
        raise(least, -bound * load<V>(v.weight + line * step + at));
      } else {
        raise(scaled_x, size_of_x * v.unknown[line]);
        raise(least, -bound * v.weight[line]);
      }
      raise(residual, size);
      raise(b, size_of_b);
      spoilt += bound * R(0);
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

template <bool alone, Scalar T>
TRISWEEP_INLINE void take_lines(const ResidualRows<T>& v, std::size_t lines, ResidualMaxima<T>& maxima) {
  constexpr int line_bytes = static_cast<int>(sizeof(RealOf<T>)) * line_rows<T>;
  using V = Vector<RealOf<T>, std::min(vector_bytes, line_bytes)>;
  constexpr std::size_t step = sizeof(V) / sizeof(RealOf<T>);
  for (std::size_t at = 0; at < usize(line_rows<T>); at += step) take_lanes<alone, V>(v, lines, at, maxima);
}

// The last entries of one vector, which do not fill a line, padded with zeros.
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
  take_lines<true, T>({line_rows<T>, 1, x, 1, b, 1, residual, magnitude, unknown, weight}, 1, maxima);
  std::copy_n(residual, count, v.residual + begin);
}

template <Scalar T>
TRISWEEP_INLINE void take_maxima(ResidualRows<T> v, ResidualMaxima<T>* maxima) {
  constexpr std::size_t line = usize(line_rows<T>);
  const std::size_t rows = usize(v.rows);
  if (v.width == 1) {
    take_lines<true>(v, rows / line, *maxima);
    if (rows % line != 0) take_rest(v, rows / line * line, *maxima);
    return;
  }
  for (std::size_t first = 0; first < usize(v.width); first += line, ++maxima) {
    take_lines<false>(v, rows, *maxima);
    v.x += line;
    v.b += line;
    v.residual += line;
    v.magnitude += line;
  }
}

}  // namespace trisweep::kernels::TRISWEEP_ISA
