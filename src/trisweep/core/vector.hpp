#pragma once
// Vectors of real numbers as the compiler has them (GCC's and clang's vector extension), of the size that the
// instruction set of this translation unit is best at. Included only by what is compiled once for each
// instruction set: everything here is inlined.

#include <cstddef>
#include <utility>

#define TRISWEEP_INLINE inline __attribute__((always_inline))

namespace trisweep {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr int row_tile = 8;  // rows whose sums are in registers at once, with column_tile vectors each
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
inline constexpr int row_tile = 4;
#elif defined(__aarch64__)
inline constexpr int vector_bytes = 16;
inline constexpr int row_tile = 8;
#else
inline constexpr int vector_bytes = 16;
inline constexpr int row_tile = 4;
#endif
inline constexpr int column_tile = 3;

template <class R, int bytes>
struct VectorOf {
  typedef R type __attribute__((vector_size(bytes)));
};
template <class R>
struct VectorOf<R, sizeof(R)> {
  using type = R;
};
template <class R, int bytes = vector_bytes>
using Vector = typename VectorOf<R, bytes>::type;

template <class R>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(R));

// From any address.
template <class V, class R>
TRISWEEP_INLINE V load(const R* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <class V, class R>
TRISWEEP_INLINE void store(R* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

// Sums of neighbours: those of a, then those of b.
template <class V, std::size_t... i>
TRISWEEP_INLINE V add_neighbours(const V& a, const V& b, std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, (2 * i)...) + __builtin_shufflevector(a, b, (2 * i + 1)...);
}

// The sum of the lanes of each of as many vectors as there are lanes: lane i has that of v[i]. Overwrites v.
template <class R>
TRISWEEP_INLINE Vector<R> sums_of(Vector<R>* v) {
#pragma GCC unroll 8
  for (int count = lanes<R>; count > 1; count /= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < count / 2; ++i)
      v[i] = add_neighbours(v[2 * i], v[2 * i + 1], std::make_index_sequence<lanes<R>>());
  }
  return v[0];
}

}  // namespace trisweep
