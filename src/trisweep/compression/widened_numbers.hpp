#pragma once
// The numbers of packed panels (number_format.hpp), widened in registers: one type for each format. Included
// only by what is compiled once for each instruction set.

#include <cstring>

#include "trisweep/compression/number_format.hpp"
#include "trisweep/core/vector.hpp"

namespace trisweep::compression::TRISWEEP_ISA {
namespace {

// As many real numbers at a time, whatever the size of the processor's vectors: the order of sums depends on
// it.
constexpr int lanes = 8;
template <class R>
using Lanes = Vector<R, lanes* static_cast<int>(sizeof(R))>;

// Numbers next to each other, as they are in memory, as type To.
template <class To, class Number>
TRISWEEP_INLINE Lanes<To> widened(const Number* from) {
  if constexpr (sizeof(Number) == 1) {
    // By whole vectors: of eight bytes alone GCC 12 makes single numbers.
    std::int64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof bytes);
    const Vector<std::int64_t, 16> in_vector = {bytes, 0};
    const auto wide = __builtin_convertvector((Vector<Number, 16>)in_vector, Vector<std::int16_t, 32>);
    return __builtin_convertvector((__builtin_shufflevector(wide, wide, 0, 1, 2, 3, 4, 5, 6, 7)), Lanes<To>);
  } else {
    return __builtin_convertvector((load<Lanes<Number>>(from)), Lanes<To>);
  }
}

// The numbers of a run, widened: one type for each format. q(i) is number i, q.lanes_at(i) those from there
// on.
template <class R, class Number>
struct Plane {
  const Number* number;
  Plane(const std::byte* numbers, const std::byte*) : number(reinterpret_cast<const Number*>(numbers)) {}
  R operator()(std::size_t i) const { return static_cast<R>(number[i]); }
  TRISWEEP_INLINE Lanes<R> lanes_at(std::size_t i) const {
    if constexpr (sizeof(Number) < sizeof(std::int32_t)) {
      return __builtin_convertvector((widened<std::int32_t>(number + i)), Lanes<R>);
    } else {
      return widened<R>(number + i);
    }
  }
};
template <class R>
struct Fixed24 {
  const std::int16_t* high;
  const std::uint8_t* low;
  Fixed24(const std::byte* numbers, const std::byte* low_plane)
      : high(reinterpret_cast<const std::int16_t*>(numbers)),
        low(reinterpret_cast<const std::uint8_t*>(low_plane)) {}
  R operator()(std::size_t i) const { return static_cast<R>(std::int32_t{high[i]} * 256 + low[i]); }
  TRISWEEP_INLINE Lanes<R> lanes_at(std::size_t i) const {
    const auto both = widened<std::int32_t>(high + i) * 256 + widened<std::int32_t>(low + i);
    return __builtin_convertvector(both, Lanes<R>);
  }
};
template <class R>
struct Fixed48 {
  const std::int32_t* high;
  const std::uint16_t* low;
  Fixed48(const std::byte* numbers, const std::byte* low_plane)
      : high(reinterpret_cast<const std::int32_t*>(numbers)),
        low(reinterpret_cast<const std::uint16_t*>(low_plane)) {}
  R operator()(std::size_t i) const {
    return static_cast<R>(high[i]) * R(65536) + static_cast<R>(std::int32_t{low[i]});
  }
  TRISWEEP_INLINE Lanes<R> lanes_at(std::size_t i) const {
    return widened<R>(high + i) * R(65536) +
           __builtin_convertvector((widened<std::int32_t>(low + i)), Lanes<R>);
  }
};

}  // namespace
}  // namespace trisweep::compression::TRISWEEP_ISA
