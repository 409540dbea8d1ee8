// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/numeric/substitution.hpp"

#include "trisweep/core/vector.hpp"

namespace trisweep::numeric::TRISWEEP_ISA {
namespace {

// Exchanges the real values i and i + 1 for all even i.
template <class V, std::size_t... i>
TRISWEEP_INLINE V exchanged(const V& v, std::index_sequence<i...>) {
  return __builtin_shufflevector(v, v, (i ^ 1)...);
}

// x times the scalar at `c`. If complex, the product is re(c) x + im(c) (J x), where J x = (-Im x, Re x) for
// each entry of x.
template <class T, class V>
TRISWEEP_INLINE V times(const V& x, const RealOf<T>* c) {
  if constexpr (is_complex<T>) {
    constexpr std::size_t size = sizeof(V) / sizeof(RealOf<T>);
    V im;
    for (std::size_t i = 0; i < size; ++i) im[i] = i % 2 == 0 ? -c[1] : c[1];
    return x * c[0] + exchanged(x, std::make_index_sequence<size>()) * im;
  } else {
    return x * c[0];
  }
}

// Substitution in n vectors of rows from `first` on, column by column, with the sums in registers.
template <class T, class V, int n>
TRISWEEP_INLINE void row_block(const Substitution<T>& s, T* first) {
  using R = RealOf<T>;
  constexpr int parts = sizeof(T) / sizeof(R), size = sizeof(V) / sizeof(R);
  const R* c = reinterpret_cast<const R*>(s.c);
  const auto column = [&](Index j) __attribute__((always_inline)) {
    return reinterpret_cast<R*>(first + j * s.stride);
  };
  for (Index j = 0; j < s.width; ++j, c += s.width * parts) {
    R* const x = column(j);
    V sum[n];
#pragma GCC unroll 4
    for (int v = 0; v < n; ++v) sum[v] = load<V>(x + v * size);
    for (Index k = 0; k < j; ++k) {
      const R* const done = column(k);
#pragma GCC unroll 4
      for (int v = 0; v < n; ++v) sum[v] -= times<T>(load<V>(done + v * size), c + k * parts);
    }
#pragma GCC unroll 4
    for (int v = 0; v < n; ++v) store(x + v * size, times<T>(sum[v], c + j * parts));
  }
}

// Substitution in rows from `row` on, by vectors of `bytes` bytes, then of half as many, down to single rows.
template <class T, int bytes = vector_bytes>
TRISWEEP_INLINE void cover(const Substitution<T>& s, Index row) {
  using V = Vector<RealOf<T>, bytes>;
  constexpr int size = bytes / static_cast<int>(sizeof(T));
  if constexpr (bytes == vector_bytes) {
    for (; s.rows - row >= 4 * size; row += 4 * size) row_block<T, V, 4>(s, s.data + row);
    if (s.rows - row >= 2 * size) {
      row_block<T, V, 2>(s, s.data + row);
      row += 2 * size;
    }
  }
  if (s.rows - row >= size) {
    row_block<T, V, 1>(s, s.data + row);
    row += size;
  }
  if constexpr (size > 1) {
    if (row < s.rows) cover<T, bytes / 2>(s, row);
  }
}

}  // namespace

template <Scalar T>
void substitute(const Substitution<T>& s) {
  cover(s, 0);
}

#define INSTANTIATE(T) template void substitute(const Substitution<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::numeric::TRISWEEP_ISA
