#pragma once
// The numbers of packed panels (number_format.hpp), widened in registers: one type for each format. Included
// only by what is compiled once for each instruction set.

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <type_traits>

#include "trisweep/compression/lanes.hpp"
#include "trisweep/compression/number_format.hpp"

namespace trisweep::compression::TRISWEEP_ISA {
namespace {

using Integers = Vector<std::int32_t, lanes* static_cast<int>(sizeof(std::int32_t))>;

// Integers next to each other in memory, and the real numbers that integers are: single instructions, for
// which GCC 12 makes ten of what __builtin_convertvector says.
#if defined(__AVX2__)
template <class Number>
TRISWEEP_INLINE Integers integers_at(const Number* from) {
  if constexpr (sizeof(Number) == sizeof(std::int32_t)) return load<Integers>(from);
  if constexpr (std::is_same_v<Number, std::int8_t>)
    return (Integers)_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  if constexpr (std::is_same_v<Number, std::uint8_t>)
    return (Integers)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  if constexpr (std::is_same_v<Number, std::int16_t>)
    return (Integers)_mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  if constexpr (std::is_same_v<Number, std::uint16_t>)
    return (Integers)_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
#else
template <class Number>
TRISWEEP_INLINE Integers integers_at(const Number* from) {
  return load_as<std::int32_t, static_cast<int>(sizeof(Integers))>(from);
}
#endif

template <class R>
TRISWEEP_INLINE Lanes<R> as_reals(const Integers& integers) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<R, double>) return (Lanes<R>)_mm512_maskz_cvtepi32_pd(0xff, (__m256i)integers);
#elif defined(__AVX2__)
  if constexpr (std::is_same_v<R, double>) {
    const auto low = (Vector<double, 32>)_mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)integers));
    const auto high = (Vector<double, 32>)_mm256_cvtepi32_pd(_mm256_extracti128_si256((__m256i)integers, 1));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
#endif
  return __builtin_convertvector(integers, Lanes<R>);
}

// Columns are too short for the hardware to foresee the next: what is that far behind is fetched early.
constexpr std::size_t fetched_ahead = 8 << 10;
constexpr std::size_t line = 64;
TRISWEEP_INLINE void fetch_behind(const void* numbers) {
  __builtin_prefetch(static_cast<const std::byte*>(numbers) + fetched_ahead, 0, 3);
}

// The numbers of a run, widened: one type for each format. q(i) is number i, q.lanes_at(i) those from there
// on.
template <class R, class Number>
struct Plane {
  static constexpr std::size_t in_line = line / sizeof(Number);
  const Number* number;
  TRISWEEP_INLINE void fetch_ahead(std::size_t i) const { fetch_behind(number + i); }
  Plane(const std::byte* numbers, const std::byte*) : number(reinterpret_cast<const Number*>(numbers)) {}
  R operator()(std::size_t i) const { return static_cast<R>(number[i]); }
  TRISWEEP_INLINE Lanes<R> lanes_at(std::size_t i) const {
    if constexpr (std::is_same_v<Number, R>) {
      return load<Lanes<R>>(number + i);
    } else {
      return as_reals<R>(integers_at(number + i));
    }
  }
};
// In two: the high bytes and the low ones. 24 bits are put together as an integer, 48 as real numbers.
template <class R, class High, class Low>
struct TwoPlanes {
  static constexpr int base = 1 << (8 * sizeof(Low));
  static constexpr bool as_integer = sizeof(High) + sizeof(Low) < sizeof(std::int32_t);
  static constexpr std::size_t in_line = line / sizeof(High);
  const High* high;
  const Low* low;
  TRISWEEP_INLINE void fetch_ahead(std::size_t i) const {
    fetch_behind(high + i);
    fetch_behind(low + i);
  }
  TwoPlanes(const std::byte* numbers, const std::byte* low_plane)
      : high(reinterpret_cast<const High*>(numbers)), low(reinterpret_cast<const Low*>(low_plane)) {}
  R operator()(std::size_t i) const {
    if constexpr (as_integer) {
      return static_cast<R>(std::int32_t{high[i]} * base + low[i]);
    } else {
      return static_cast<R>(high[i]) * R(base) + static_cast<R>(std::int32_t{low[i]});
    }
  }
  TRISWEEP_INLINE Lanes<R> lanes_at(std::size_t i) const {
    if constexpr (as_integer) {
      return as_reals<R>(integers_at(high + i) * base + integers_at(low + i));
    } else {
      return as_reals<R>(integers_at(high + i)) * R(base) + as_reals<R>(integers_at(low + i));
    }
  }
};
template <class R>
using Fixed24 = TwoPlanes<R, std::int16_t, std::uint8_t>;
template <class R>
using Fixed48 = TwoPlanes<R, std::int32_t, std::uint16_t>;

}  // namespace
}  // namespace trisweep::compression::TRISWEEP_ISA
