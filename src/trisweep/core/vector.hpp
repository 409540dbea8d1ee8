#pragma once
// SIMD vectors of real numbers (the vector extension of GCC and clang), of the best size for the instruction
// set of this translation unit. Each instruction set has its own, in a namespace of its name.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "trisweep/core/instruction_set.hpp"

#define TRISWEEP_INLINE inline __attribute__((always_inline))

namespace trisweep {
inline namespace TRISWEEP_ISA {

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

// Loads a vector from any address, aligned or not.
template <class V, class R>
TRISWEEP_INLINE V load(const R* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
// The same for values stored in another type S, each converted to R. (A loop, because GCC 12 compiles it to
// one instruction, and __builtin_convertvector to four.)
template <class R, int bytes = vector_bytes, class S>
TRISWEEP_INLINE Vector<R, bytes> load_as(const S* from) {
  if constexpr (std::is_same_v<R, S>) return load<Vector<R, bytes>>(from);
  Vector<R, bytes> v;
  for (int i = 0; i < bytes / static_cast<int>(sizeof(R)); ++i) v[i] = static_cast<R>(from[i]);
  return v;
}
template <class V, class R>
TRISWEEP_INLINE void store(R* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

// The sum of the lanes, by halving: the two halves are added until one lane is left.
template <class R, int bytes = vector_bytes>
TRISWEEP_INLINE R sum_of(const Vector<R, bytes>& v) {
  if constexpr (bytes == 2 * sizeof(R)) {
    return v[0] + v[1];
  } else {
    constexpr int half = bytes / 2;
    const auto both = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
      constexpr int count = sizeof...(i);
      return sum_of<R, half>(__builtin_shufflevector(v, v, i...) +
                             __builtin_shufflevector(v, v, (count + i)...));
    };
    return both(std::make_integer_sequence<int, half / static_cast<int>(sizeof(R))>());
  }
}

}  // namespace TRISWEEP_ISA
}  // namespace trisweep
